import type { Query } from '../../../types/service.js'
import { BadRequest } from '../errors.js'
import { isPlain } from '../objects.js'
import { inspectText } from '../options.js'

/** A comparison of a column with a value that is not `null`. */
export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'like' | 'ilike'

/** The expressions of a database library, of which the conditions of a query are built. */
export interface Expressions<E> {
  /** All of the expressions; true without any. */
  and(expressions: E[]): E
  /** One of the expressions; false without any. */
  or(expressions: E[]): E
  compare(column: string, comparison: Comparison, value: unknown): E
  /** @param values a filled list without `null` */
  isIn(column: string, values: readonly unknown[]): E
  /** @param values a filled list without `null` */
  isNotIn(column: string, values: readonly unknown[]): E
  isNull(column: string): E
  isNotNull(column: string): E
}

const comparisonsByOperator: ReadonlyMap<string, Comparison> = new Map([
  ['$eq', '='],
  ['$ne', '!='],
  ['$lt', '<'],
  ['$lte', '<='],
  ['$le', '<='],
  ['$gt', '>'],
  ['$gte', '>='],
  ['$ge', '>='],
  ['$like', 'like'],
  ['$ilike', 'ilike']
])

/**
 * Builds the conditions of a query, without `$limit`, `$skip`, `$sort` and `$select`. A column that
 * is `null` fits no condition but `null` itself, as in SQL.
 *
 * @throws {BadRequest} for an operator that does not exist, a value that can't be compared, or a
 * name that can't be a column
 */
export function buildConditions<E>(query: Query, build: Expressions<E>): E {
  const expressions = Object.entries(query).map(([name, value]): E => {
    if (name === '$and') return build.and(queriesOf(name, value).map((part) => buildConditions(part, build)))
    if (name === '$or') return build.or(queriesOf(name, value).map((part) => buildConditions(part, build)))
    if (name.startsWith('$')) throw unknownOperator(name)
    checkColumnName(name)
    return buildColumn(name, value, build)
  })
  return expressions.length === 1 ? (expressions[0] as E) : build.and(expressions)
}

function queriesOf(name: string, value: unknown): Query[] {
  const isUsable = Array.isArray(value) && value.every(isPlain) && (value.length > 0 || name === '$and')
  if (!isUsable) throw new BadRequest(`${name} must be a list of queries`)
  return value
}

function buildColumn<E>(column: string, value: unknown, build: Expressions<E>): E {
  if (!isPlain(value)) return compare(column, '$eq', value, build)
  const operators = Object.entries(value)
  if (operators.length === 0) throw new BadRequest(`'${column}' has no value to compare with`)
  const expressions = operators.map(([operator, operand]) => compare(column, operator, operand, build))
  return expressions.length === 1 ? (expressions[0] as E) : build.and(expressions)
}

function compare<E>(column: string, operator: string, operand: unknown, build: Expressions<E>): E {
  if (operator === '$in' || operator === '$nin') return compareWithList(column, operator === '$in', operand, build)
  const comparison = comparisonsByOperator.get(operator)
  if (comparison === undefined) throw unknownOperator(operator)
  if (operand === null && comparison === '=') return build.isNull(column)
  if (operand === null && comparison === '!=') return build.isNotNull(column)
  const isPattern = comparison === 'like' || comparison === 'ilike'
  if (!canCompare(operand) || (isPattern && typeof operand !== 'string')) throw wrongValue(column, operator, operand)
  return build.compare(column, comparison, operand)
}

function compareWithList<E>(column: string, isIn: boolean, operand: unknown, build: Expressions<E>): E {
  const list: unknown[] = Array.isArray(operand) ? operand : [operand]
  const wrong = list.findIndex((item) => item !== null && !canCompare(item))
  if (wrong >= 0) throw wrongValue(column, isIn ? '$in' : '$nin', list[wrong])
  const values = list.filter((item) => item !== null)
  const hasNull = values.length < list.length
  if (isIn)
    return build.or([
      ...(values.length > 0 ? [build.isIn(column, values)] : []),
      ...(hasNull ? [build.isNull(column)] : [])
    ])
  return build.and([
    ...(values.length > 0 ? [build.isNotIn(column, values)] : []),
    ...(hasNull ? [build.isNotNull(column)] : [])
  ])
}

/** Whether a value is a scalar, or an object of a class, such as a date or a decimal. */
const canCompare = (value: unknown): boolean =>
  value !== null &&
  !['undefined', 'function', 'symbol'].includes(typeof value) &&
  !Array.isArray(value) &&
  !isPlain(value) &&
  !Number.isNaN(value) &&
  !(value instanceof Date && Number.isNaN(value.getTime()))

// Some libraries read more than a name, such as a table before it or an alias behind it.
const plainName = /^[\p{L}\p{N}_-]+$/u

/** @throws {BadRequest} if a name is more than the name of a column */
export function checkColumnName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || !plainName.test(name)) throw unknownColumn(name)
}

/** Creates the error for a column that a table does not have. */
export const unknownColumn = (name: unknown) => new BadRequest(`There is no field ${inspectText(String(name))}`)

const unknownOperator = (name: string) => new BadRequest(`There is no operator ${inspectText(name)}`)

const wrongValue = (column: string, operator: string, value: unknown) =>
  new BadRequest(`'${column}' can't be compared by ${operator} with ${inspectKind(value)}`)

function inspectKind(value: unknown): string {
  if (value === undefined) return 'undefined'
  if (Array.isArray(value)) return 'a list: use $in'
  if (isPlain(value)) return 'an object'
  return typeof value === 'object' ? 'an invalid date' : `a ${typeof value}`
}
