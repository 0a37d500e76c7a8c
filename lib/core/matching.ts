import { isPlain } from './objects.js'

/** A three-valued answer: `undefined` if only the database knows. */
export type Sure = boolean | undefined

/** A value that JSON lacks: a date in ISO format, a bigint, or the id of a record in MongoDB. */
interface TypedText {
  readonly type: 'date' | 'bigint' | 'id'
  readonly text: string
}

/** A value of a field that can be compared. */
type Comparable = string | number | boolean | null | TypedText

/** The comparable fields of a record, for JSON. A field that is absent may have any value. */
export type Facts = Readonly<Record<string, Comparable>>
/** Facts, prepared for many comparisons. */
export type PreparedFacts = Readonly<Record<string, ComparedValue>>
/** The conditions of a query, without `$limit`, `$skip`, `$sort` and `$select`. */
export type ListConditions = Readonly<Record<string, unknown>>
/** The fields whose values are not known; `true` for all fields. */
export type Unknowns = ReadonlySet<string> | true

/** Longer texts are not compared. */
const maxComparedLength = 256

/** Returns the comparable fields of a record, without some; none if it can't be read. */
export function factsOfRecord(record: unknown, omitted: readonly string[] = []): Facts {
  const facts: Record<string, Comparable> = Object.create(null)
  try {
    for (const [name, value] of Object.entries(Object(record))) {
      const scalar = toScalar(value)
      if (scalar !== undefined && !omitted.includes(name)) facts[name] = scalar
    }
    return facts
  } catch {
    return {}
  }
}

/** Returns a value that can be compared; `undefined` for others. */
export function toScalar(value: unknown): Comparable | undefined {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return value.length > maxComparedLength ? undefined : value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'bigint') return { type: 'bigint', text: String(value) }
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : { type: 'date', text: value.toISOString() }
  const { toHexString } = Object(value) as { toHexString?: unknown }
  return typeof toHexString === 'function' ? { type: 'id', text: String(toHexString.call(value)) } : undefined
}

/** A value for many comparisons: its text is folded once, since that is slow for long texts. */
export class ComparedValue {
  readonly value: Comparable
  #folded: string | undefined | null = null

  constructor(value: Comparable) {
    this.value = value
  }

  get type() {
    const { value } = this
    return isTyped(value) ? value.type : typeof value
  }

  get text(): string {
    const { value } = this
    return isTyped(value) ? value.text : String(value)
  }

  /**
   * A text that is equal for all texts that a collation may find equal, except times and numbers;
   * `undefined` if any text may be.
   */
  get folded(): string | undefined {
    if (this.#folded === null) this.#folded = foldedText(this.text)
    return this.#folded
  }

  toJSON(): Comparable {
    return this.value
  }
}

const isTyped = (value: Comparable): value is TypedText => typeof value === 'object' && value !== null

const toCompared = (value: unknown): ComparedValue | undefined => {
  if (value instanceof ComparedValue) return value
  const scalar = toScalar(value)
  return scalar === undefined ? undefined : new ComparedValue(scalar)
}

/** Prepares facts for many comparisons. */
export const prepareFacts = (facts: Facts): PreparedFacts =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, new ComparedValue(value)]))

/** Copies conditions for many comparisons. Values that can't be compared are kept. */
export function prepareConditions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prepareConditions)
  if (!isPlain(value)) return toCompared(value) ?? value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, prepareConditions(item)]))
}

const not = (sure: Sure): Sure => (sure === undefined ? undefined : !sure)

function allOf<Item>(items: readonly Item[], judge: (item: Item) => Sure): Sure {
  let all: Sure = true
  for (const item of items) {
    const sure = judge(item)
    if (sure === false) return false
    if (sure === undefined) all = undefined
  }
  return all
}

const someOf = <Item>(items: readonly Item[], judge: (item: Item) => Sure): Sure =>
  not(allOf(items, (item) => not(judge(item))))

/** Whether there is an unknown operator, which may widen the result. */
export const hasUnknownOperator = (conditions: ListConditions): boolean =>
  Object.keys(conditions).some((name) => name.startsWith('$') && name !== '$and' && name !== '$or')

/** Whether a record matches conditions in every database. */
export function matches(conditions: ListConditions, facts: PreparedFacts, unknowns?: Unknowns): Sure {
  if (hasUnknownOperator(conditions)) return undefined
  return allOf(Object.entries(conditions), ([name, condition]) => {
    if (name === '$or' || name === '$and') return matchesJunction(name, condition, facts, unknowns)
    const fact = isUnknown(name, unknowns) || !Object.hasOwn(facts, name) ? undefined : facts[name]
    return fact && matchesField(fact, condition)
  })
}

/** Whether all fields of the conditions have a known value. */
export function areFieldsKnown(conditions: ListConditions, facts: PreparedFacts, unknowns?: Unknowns): boolean {
  return Object.entries(conditions).every(([name, condition]) => {
    if (!name.startsWith('$')) return Object.hasOwn(facts, name) && !isUnknown(name, unknowns)
    return [condition].flat().every((item) => areFieldsKnown(Object(item), facts, unknowns))
  })
}

/**
 * Returns the name under which a placeholder of the path counts as a field. No real field has it,
 * and no event changes its value.
 */
export const routeField = (name: string) => `:${name}`

/** Whether a field may have any value. */
export const isUnknown = (name: string, unknowns: Unknowns | undefined): boolean =>
  unknowns === true ? !name.startsWith(':') : unknowns?.has(name) === true

function matchesJunction(
  name: '$or' | '$and',
  items: unknown,
  facts: PreparedFacts,
  unknowns: Unknowns | undefined
): Sure {
  // Adapters disagree on empty conditions: some ignore them.
  if (!Array.isArray(items) || items.length === 0) return undefined
  const isFilled = (item: unknown) => typeof item === 'object' && item !== null && Object.keys(item).length > 0
  const judge = (item: unknown) => (isFilled(item) ? matches(item as ListConditions, facts, unknowns) : undefined)
  return name === '$or' ? someOf(items, judge) : allOf(items, judge)
}

function matchesField(fact: ComparedValue, condition: unknown): Sure {
  const operand = toCompared(condition)
  if (operand !== undefined) return isEqual(fact, operand)
  if (typeof condition !== 'object' || Array.isArray(condition)) return undefined
  const operators = Object.entries(condition as object)
  return operators.length === 0 ? undefined : allOf(operators, ([name, operand]) => operate(name, fact, operand))
}

function operate(operator: string, fact: ComparedValue, operand: unknown): Sure {
  const isNull = fact.value === null
  switch (operator) {
    case '$eq':
      return equals(fact, operand)
    case '$ne':
      // SQL finds no `NULL` by it, memory and MongoDB do.
      return isNull && !isNullOperand(operand) ? undefined : not(equals(fact, operand))
    case '$in':
      // SQL finds no `NULL` by `IN (…, NULL)`, and by `NOT IN (…, NULL)` nothing at all.
      if (!Array.isArray(operand) || (isNull && operand.some(isNullOperand))) return undefined
      return someOf(operand, (item) => equals(fact, item))
    case '$nin': {
      if (!Array.isArray(operand) || isNull) return undefined
      const isOutside = allOf(operand, (item) => not(equals(fact, item)))
      return isOutside && operand.some(isNullOperand) ? undefined : isOutside
    }
    case '$lt':
    case '$lte':
    case '$gt':
    case '$gte':
      return compares(operator, toOrdered(fact), toOrdered(toCompared(operand)))
    default:
      return undefined
  }
}

const isNullOperand = (operand: unknown) => toCompared(operand)?.value === null

interface Ordered {
  readonly isDate: boolean
  readonly number: number
}

const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** Converts a number or a time. The order of texts depends on the collation. */
function toOrdered({ type, text }: Partial<ComparedValue> = {}): Ordered | undefined {
  if (type === 'number') return { isDate: false, number: Number(text) }
  const isTime = type === 'date' || (type === 'string' && isoDate.test(String(text)))
  const time = isTime ? Date.parse(String(text)) : Number.NaN
  return Number.isNaN(time) ? undefined : { isDate: true, number: time }
}

function compares(operator: string, value: Ordered | undefined, operand: Ordered | undefined): Sure {
  if (value === undefined || operand === undefined || value.isDate !== operand.isDate) return undefined
  const isSame = value.isDate ? isSameTime(value.number, operand.number) : isSameNumber(value.number, operand.number)
  if (isSame !== false) return isSame && operator.endsWith('e')
  return operator.startsWith('$l') ? value.number < operand.number : value.number > operand.number
}

/**
 * In ms. Closer times may be equal, since a column may hold days or local times, or drop fractions.
 */
const timeMargin = 2 * 86_400_000

const isSameTime = (time: number, other: number): Sure => (Math.abs(time - other) > timeMargin ? false : undefined)

/**
 * Compares numbers. A column may hold floats of 4 bytes, so that close numbers may be equal, and
 * equal ones may not.
 */
function isSameNumber(number: number, other: number): Sure {
  const isWhole = Number.isSafeInteger(number)
  if (number === other) return isWhole || Math.fround(number) === number ? true : undefined
  if (isWhole && Number.isSafeInteger(other)) return false
  return Math.fround(number) === Math.fround(other) ? undefined : false
}

function equals(fact: ComparedValue, operand: unknown): Sure {
  const scalar = toCompared(operand)
  return scalar && isEqual(fact, scalar)
}

function isEqual(fact: ComparedValue, operand: ComparedValue): Sure {
  const { value, type, text } = fact
  const { value: wanted, type: wantedType, text: wantedText } = operand
  if (value === null || wanted === null) return value === wanted
  const types = [type, wantedType]
  if (type === wantedType && ['boolean', 'bigint', 'id'].includes(type)) return text === wantedText
  if (types.includes('id')) return isAlike(fact, operand) ? undefined : false
  if (types.includes('date')) {
    const [time, otherTime] = [toOrdered(fact), toOrdered(operand)]
    return time?.isDate && otherTime?.isDate ? isSameTime(time.number, otherTime.number) : undefined
  }
  // Booleans are numbers in SQLite and MySQL.
  if (types.includes('boolean')) {
    const [bit, otherBit] = [toBit(fact), toBit(operand)]
    return bit === undefined || otherBit === undefined || bit === otherBit ? undefined : false
  }
  if (type === 'string' && wantedType === 'string')
    return value === wanted || (isAlike(fact, operand) ? undefined : false)
  // Databases convert texts to numbers in different ways: in MySQL 'abc' equals 0.
  if ([value, wanted].some((side) => typeof side === 'string' && !decimalText.test(side))) return undefined
  const isSame = isSameNumber(Number(text), Number(wantedText))
  return isSame && type !== wantedType ? undefined : isSame
}

function toBit({ value, text }: ComparedValue): number | undefined {
  const number = typeof value === 'boolean' ? Number(value) : Number(text)
  return number === 0 || number === 1 ? number : undefined
}

const decimalText = /^[+-]?\d+(\.\d+)?$/
const timeText = /^(\d{4}-\d\d-\d\d|\d\d:\d\d)/

/** Whether some type of column, or some collation, may find two texts equal. */
function isAlike(fact: ComparedValue, operand: ComparedValue): boolean {
  const [text, wanted] = [fact.text, operand.text]
  // The same time can be written in many ways.
  if (timeText.test(text) || timeText.test(wanted))
    return !(isoDate.test(text) && isoDate.test(wanted)) || isSameTime(Date.parse(text), Date.parse(wanted)) !== false
  const [folded, foldedWanted] = [fact.folded, operand.folded]
  if (folded === undefined || foldedWanted === undefined || folded === foldedWanted) return true
  // A column of numbers may have texts as values, such as '7.50'. MySQL compares it with the number
  // at the start of '7.5 kg', and with 0 for 'abc'.
  return isNumeric(text) && [Number(wanted), Number.parseFloat(wanted) || 0].includes(Number(text))
}

const isNumeric = (text: string) => text.trim() !== '' && Number.isFinite(Number(text))

/**
 * Letters, digits and characters that collations may ignore. Any two characters beyond ASCII may be
 * equal; '`' and '~' are letters in Big5.
 */
const foldable = /^[ -_a-}]*$/

/** A UUID without hyphens and zeros. */
const uuidDigits = /^(?=.*[a-f])[a-f\d]{16,32}$/

/**
 * Folds a text so that texts with different results differ in every collation, even one that
 * ignores case, punctuation and spaces, and compares digits as numbers; `undefined` if that can't
 * be known. The rules come from comparing all short texts in each collation of MariaDB 10.11 and
 * ICU 72.
 */
function foldedText(text: string): string | undefined {
  if (!foldable.test(text)) return undefined
  const folded = text
    .toLowerCase()
    // 'a01' and 'a1': numeric collations of ICU.
    .replace(/(?<!\d)0+(?=\d)/g, '')
    .replace(/[^a-z\d]/g, '')
    // i and y: Lithuanian, Latvian. i and j, u and v: Roman. v and w: Swedish. m and n: MacCE. c
    // and ch: Lithuanian.
    .replace(/[jy]/g, 'i')
    .replace(/[vw]/g, 'u')
    .replace(/m/g, 'n')
    .replaceAll('ch', 'c')
    // 'tty' and 'tyty': Hungarian.
    .replace(/([cdglnstz])\1(zs?|s|i)/g, '$1$2$1$2')
  // PostgreSQL accepts a UUID with or without hyphens, but hyphens change which zeros were dropped
  // above.
  const digits = folded.replaceAll('0', '')
  return uuidDigits.test(digits) ? digits : folded
}

/**
 * Returns the key of a value in an index, which begins with its kind: `n` for numbers, `t` for
 * texts. Values of one kind that may be equal have the same key. Values of different kinds may
 * always be equal. `undefined`: the value may equal any other.
 */
export function indexKeyOf(value: unknown): string | undefined {
  const operand = toCompared(value)
  if (operand === undefined || operand.value === null) return undefined
  const { type, text, folded } = operand
  if (type === 'boolean' || type === 'date') return undefined
  if (type === 'number' || type === 'bigint' || /^\d+$/.test(text)) return `n${Math.fround(Number(text))}`
  if (folded === undefined || timeText.test(text) || isNumeric(text)) return undefined
  return `t${folded}`
}
