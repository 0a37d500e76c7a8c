import { type Expressions, unknownColumn } from '../core/adapters/conditions.js'
import type { Row } from '../core/adapters/table.js'
import { convertBigInts, toColumnValue, typeMismatch } from '../core/adapters/values.js'
import { BadRequest } from '../core/errors.js'
import { isPlain } from '../core/objects.js'

/** The fields of a model, with the names of their types: `Int`, `String`, `DateTime`, … */
export type ModelFields = Readonly<Record<string, string>>

const prismaOperators = { '=': 'equals', '!=': 'not', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const

/** The fields of a model, and how their values are written and compared. */
export class PrismaFields {
  readonly names: readonly string[]
  /** Creates conditions of Prisma for the conditions of a query. */
  readonly expressions: Expressions<object>
  readonly #types: ModelFields
  readonly #id: string
  readonly #jsonNull: unknown
  readonly #bigInts: readonly string[]

  constructor(types: ModelFields, id: string, jsonNull: unknown = null) {
    this.names = Object.keys(types)
    this.#types = types
    this.#id = id
    this.#jsonNull = jsonNull
    this.#bigInts = this.names.filter((name) => types[name] === 'BigInt')
    this.expressions = this.#createExpressions()
  }

  /** Converts the values of a record to write. Prisma leaves what is `undefined` as it is. */
  toStored(values: Row): Row {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.#convert(name, value ?? null)]))
  }

  /** Converts the values of records to values of JSON. */
  fromRows(rows: Row[]): Row[] {
    return convertBigInts(rows, this.#bigInts)
  }

  #createExpressions(): Expressions<object> {
    // Prisma drops a condition without fields from a list, which would change what the list means.
    const always = { [this.#id]: { notIn: [] } }
    const never = { [this.#id]: { in: [] } }
    const toOperands = (name: string, values: readonly unknown[]) =>
      values.map((value) => this.#toOperand(name, value)).filter((value) => value !== undefined)
    return {
      and: (conditions) => (conditions.length === 0 ? always : { AND: conditions }),
      or: (conditions) => (conditions.length === 0 ? never : { OR: conditions }),
      compare: (name, comparison, value) => {
        if (comparison === 'like' || comparison === 'ilike')
          throw new BadRequest(`Prisma has no operator for $${comparison}`)
        const operand = this.#toOperand(name, value)
        if (operand === undefined) return comparison === '!=' ? always : never
        return { [name]: { [prismaOperators[comparison]]: operand } }
      },
      isIn: (name, values) => ({ [name]: { in: toOperands(name, values) } }),
      isNotIn: (name, values) => ({ [name]: { notIn: toOperands(name, values) } }),
      isNull: (name) => ({ [name]: { equals: this.#convert(name, null) } }),
      isNotNull: (name) => ({ [name]: { not: this.#convert(name, null) } })
    }
  }

  /** Converts a value to compare with. `undefined` if no id is equal to it. */
  #toOperand(name: string, value: unknown): unknown {
    return name === this.#id ? toType(this.#typeOf(name), value) : this.#convert(name, value)
  }

  /** @throws {BadRequest} if the field does not exist, or can't have the value */
  #convert(name: string, value: unknown): unknown {
    const type = this.#typeOf(name)
    if (value === null) return type === 'Json' ? this.#jsonNull : null
    // An object would be an operation of Prisma, such as `{ increment: 1 }`.
    const converted = type !== 'Json' && isPlain(value) ? undefined : toType(type, value)
    if (converted === undefined) throw typeMismatch(name, value)
    return converted
  }

  #typeOf(name: string): string {
    const type = Object.hasOwn(this.#types, name) ? this.#types[name] : undefined
    if (type === undefined) throw unknownColumn(name)
    return type
  }
}

/** Converts the texts of queries, and dates. `undefined` if a field of the type can't have the value. */
function toType(type: string, value: unknown): unknown {
  if (type === 'String') return value instanceof Date ? value.toISOString() : value
  if (typeof value !== 'string') return value
  const { [type]: read } = textReaders
  return read === undefined ? value : read(value)
}

// Prisma refuses integers out of range with an error, also as ids.
const textReaders: Readonly<Record<string, ((text: string) => unknown) | undefined>> = {
  Int(text) {
    const number = toColumnValue.number(text)
    return Number.isInteger(number) && Math.abs(number as number) < 2 ** 31 ? number : undefined
  },
  Float: toColumnValue.number,
  BigInt(text) {
    const integer = toColumnValue.bigint(text)
    return integer === undefined || BigInt.asIntN(64, integer) !== integer ? undefined : integer
  },
  Boolean: toColumnValue.boolean,
  DateTime: toColumnValue.date
}
