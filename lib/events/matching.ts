/** Whether a record is in a list: `undefined` where only the database knows. */
export type Sure = boolean | undefined

/** What a value of a field is to a comparison. */
type Comparable = string | number | bigint | boolean | null | Date | ObjectIdText
/** The id of a record in MongoDB. */
interface ObjectIdText {
  readonly oid: string
}

/** The fields of a record that can be compared. One that is absent may have any value. */
export type Facts = Readonly<Record<string, Comparable>>
/** The conditions of a query, without `$limit`, `$skip`, `$sort` and `$select`. */
export type ListConditions = Readonly<Record<string, unknown>>
/** The names of fields whose values are not known, `true` for all. */
export type Unknowns = ReadonlySet<string> | true

// In characters: longer texts are not compared.
const longestText = 256

/** The fields of a record that can be compared; none of a record that can't be read. */
export function factsOfRecord(record: unknown): Facts {
  const facts: Record<string, Comparable> = Object.create(null)
  try {
    for (const [name, value] of Object.entries(Object(record))) {
      const scalar = toScalar(value)
      if (scalar !== undefined) facts[name] = scalar
    }
    return facts
  } catch {
    return {}
  }
}

function toScalar(value: unknown): Comparable | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return value
  if (typeof value === 'string') return value.length > longestText ? undefined : value
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : value
  if (value instanceof Date) return value
  const { toHexString } = Object(value) as { toHexString?: unknown }
  return typeof toHexString === 'function' ? { oid: String(toHexString.call(value)) } : undefined
}

const not = (sure: Sure): Sure => (sure === undefined ? undefined : !sure)

function allOf(list: readonly Sure[]): Sure {
  if (list.includes(false)) return false
  return list.includes(undefined) ? undefined : true
}

function someOf(list: readonly Sure[]): Sure {
  if (list.includes(true)) return true
  return list.includes(undefined) ? undefined : false
}

/** Whether a record has what conditions say, as every database would judge it. */
export function matches(conditions: ListConditions, facts: Facts, unknowns?: Unknowns): Sure {
  const parts: Sure[] = []
  for (const [name, condition] of Object.entries(conditions)) {
    if (name === '$or' || name === '$and') parts.push(matchesJunction(name, condition, facts, unknowns))
    // An operator that is not known may widen what is found.
    else if (name.startsWith('$')) return undefined
    else if (isUnknown(name, unknowns)) parts.push(undefined)
    else parts.push(Object.hasOwn(facts, name) ? matchesField(facts[name] as Comparable, condition) : undefined)
  }
  return allOf(parts)
}

/** The placeholders of a path are fields of its records, under names that no field has. No event changes them. */
export const routeField = (name: string) => `:${name}`

/** Whether nothing is known of the value of a field. */
export const isUnknown = (name: string, unknowns: Unknowns | undefined): boolean =>
  unknowns === true ? !name.startsWith(':') : unknowns?.has(name) === true

function matchesJunction(name: '$or' | '$and', parts: unknown, facts: Facts, unknowns: Unknowns | undefined): Sure {
  // Adapters do not agree on what nothing selects: some leave the whole part out.
  if (!Array.isArray(parts) || parts.length === 0) return undefined
  const isFilled = (part: unknown) => typeof part === 'object' && part !== null && Object.keys(part).length > 0
  const sures = parts.map((part) => (isFilled(part) ? matches(part, facts, unknowns) : undefined))
  return name === '$or' ? someOf(sures) : allOf(sures)
}

function matchesField(value: Comparable, condition: unknown): Sure {
  const operand = toScalar(condition)
  if (operand !== undefined) return isEqual(value, operand)
  if (typeof condition !== 'object' || Array.isArray(condition)) return undefined
  const operators = Object.entries(condition as object)
  return operators.length === 0 ? undefined : allOf(operators.map(([name, operand]) => operate(name, value, operand)))
}

function operate(operator: string, value: Comparable, operand: unknown): Sure {
  switch (operator) {
    case '$eq':
      return equals(value, operand)
    case '$ne':
      // SQL finds no `NULL` by it, memory and MongoDB do.
      return value === null && operand !== null ? undefined : not(equals(value, operand))
    case '$in':
      // SQL finds no `NULL` by `IN (…, NULL)`, and by `NOT IN (…, NULL)` nothing at all.
      if (!Array.isArray(operand) || (value === null && operand.includes(null))) return undefined
      return someOf(operand.map((item) => equals(value, item)))
    case '$nin': {
      if (!Array.isArray(operand) || value === null) return undefined
      const isOutside = not(someOf(operand.map((item) => equals(value, item))))
      return isOutside && operand.includes(null) ? undefined : isOutside
    }
    case '$lt':
    case '$lte':
    case '$gt':
    case '$gte':
      return compares(operator, toOrdered(value), toOrdered(operand))
    default:
      return undefined
  }
}

interface Ordered {
  readonly isDate: boolean
  readonly number: number
}

const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** What has the same order everywhere: numbers and times. That of texts is said by a collation. */
function toOrdered(value: unknown): Ordered | undefined {
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : { isDate: false, number: value }
  const time =
    value instanceof Date
      ? value.getTime()
      : typeof value === 'string' && isoDate.test(value)
        ? Date.parse(value)
        : Number.NaN
  return Number.isNaN(time) ? undefined : { isDate: true, number: time }
}

function compares(operator: string, value: Ordered | undefined, operand: Ordered | undefined): Sure {
  if (value === undefined || operand === undefined || value.isDate !== operand.isDate) return undefined
  // A database may keep parts of a millisecond.
  if (value.number === operand.number) return value.isDate ? undefined : operator.endsWith('e')
  return operator.startsWith('$l') ? value.number < operand.number : value.number > operand.number
}

function equals(value: Comparable, operand: unknown): Sure {
  const scalar = toScalar(operand)
  return scalar === undefined ? undefined : isEqual(value, scalar)
}

function isEqual(value: Comparable, operand: Comparable): Sure {
  if (value === null || operand === null) return value === operand
  if (typeof value === 'object' || typeof operand === 'object') return isEqualObject(value, operand)
  if (typeof value === typeof operand) {
    if (value === operand) return true
    return typeof value === 'string' && isAlike(value, operand as string) ? undefined : false
  }
  // A flag is a number in SQLite and MySQL.
  if (typeof value === 'boolean' || typeof operand === 'boolean') {
    const [first, second] = [Number(value), Number(operand)]
    const isBit = (number: number) => number === 0 || number === 1
    return isBit(first) && isBit(second) ? (first === second ? undefined : false) : undefined
  }
  return isAlike(String(value), String(operand)) ? undefined : false
}

function isEqualObject(value: string | number | bigint | boolean | Date | ObjectIdText, operand: typeof value): Sure {
  const [first, second] = [value, operand].map((item) =>
    typeof item === 'object' && 'oid' in item ? item.oid : undefined
  )
  if (first !== undefined && second !== undefined) return first === second
  if (first !== undefined || second !== undefined)
    return isAlike(first ?? String(value), second ?? String(operand)) ? undefined : false
  const [time, otherTime] = [toOrdered(value), toOrdered(operand)]
  return time?.isDate && otherTime?.isDate && time.number !== otherTime.number ? false : undefined
}

const plainText = /^[a-z][\w-]*$/i
const timeText = /^(\d{4}-\d\d-\d\d|\d\d:\d\d)/

/** Whether a column of some type, or a collation, may find the text of a record equal to another one. */
function isAlike(text: string, other: string): boolean {
  if (text === other) return true
  if (plainText.test(text) && plainText.test(other)) return text.toUpperCase() === other.toUpperCase()
  // A time can be written in many ways.
  if (timeText.test(text)) return !(isoDate.test(text) && isoDate.test(other)) || Date.parse(text) === Date.parse(other)
  return foldedText(text) === foldedText(other)
}

/** The same text for all that may be alike, but for times. */
function foldedText(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().trim()
  const number = folded === '' ? Number.NaN : Number(folded)
  return Number.isNaN(number) ? `t${folded}` : `n${number}`
}

/** Where a value stands in an index: two values that may be equal stand at the same place. `undefined` for values that have none. */
export function placeOfValue(value: unknown): string | undefined {
  const scalar = toScalar(value)
  if (typeof scalar === 'string') return timeText.test(scalar) ? undefined : foldedText(scalar)
  if (typeof scalar === 'number' || typeof scalar === 'bigint') return foldedText(String(scalar))
  return typeof scalar === 'object' && scalar !== null && 'oid' in scalar ? foldedText(scalar.oid) : undefined
}
