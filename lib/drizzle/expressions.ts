import {
  and,
  eq,
  gt,
  gte,
  ilike,
  inArray,
  isNotNull,
  isNull,
  like,
  lt,
  lte,
  ne,
  notInArray,
  or,
  type SQL,
  sql
} from 'drizzle-orm'
import type { Comparison, Expressions } from '../core/adapters/conditions.js'
import type { Dialect } from '../core/adapters/table.js'
import type { Columns } from './columns.js'

const functions = { '=': eq, '!=': ne, '<': lt, '<=': lte, '>': gt, '>=': gte, like, ilike }

/** Creates the expressions of Drizzle for the conditions of a query. */
export function drizzleExpressions(columns: Columns, dialect: Dialect): Expressions<SQL> {
  const [yes, no] = [sql`1 = 1`, sql`1 = 0`]
  const isKnown = (operand: unknown) => operand !== undefined
  const compare = (name: string, comparison: Comparison, value: unknown): SQL => {
    const column = columns.get(name)
    if (comparison === 'like' || comparison === 'ilike') {
      if (dialect === 'sqlite') return sql`${column} like ${value} escape '\\'`
      return (dialect === 'postgres' ? functions[comparison] : like)(column, value as string)
    }
    const operand = columns.toOperand(name, value)
    if (operand === undefined) return comparison === '!=' ? isNotNull(column) : no
    return functions[comparison](column, operand)
  }
  const operandsOf = (name: string, values: readonly unknown[]) =>
    values.map((value) => columns.toOperand(name, value)).filter(isKnown)
  return {
    and: (expressions) => and(...expressions) ?? yes,
    or: (expressions) => or(...expressions) ?? no,
    compare,
    isIn(name, values) {
      const operands = operandsOf(name, values)
      return operands.length === 0 ? no : inArray(columns.get(name), operands)
    },
    isNotIn(name, values) {
      const operands = operandsOf(name, values)
      return operands.length === 0 ? isNotNull(columns.get(name)) : notInArray(columns.get(name), operands)
    },
    isNull: (name) => isNull(columns.get(name)),
    isNotNull: (name) => isNotNull(columns.get(name))
  }
}
