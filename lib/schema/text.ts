import type { JsonSchema } from '../../types/standard-schema.js'
import { kindBits } from './reader.js'
import type { Shape } from './shape.js'

/**
 * Converts the texts of a URL or a form to the types of a schema. Returns a text that it can't
 * convert unchanged, so that the check of the schema refuses it.
 */
type ReadText = (value: unknown) => unknown

/** Returns the reader of the texts for a shape. */
export const textReader = (shape: Shape): ReadText => shape.remember(textReader, () => createReader(shape))

function createReader(shape: Shape): ReadText {
  if (isAnything(shape)) return keepText
  if ((shape.kinds & kindBits.array) !== 0) return listReader(shape.narrow({}))
  if ((shape.kinds & kindBits.object) !== 0) return fieldsReader(shape)
  const byText = new Map([...shape.subschemas].flatMap(constantsOf).map((value) => [String(value), value]))
  const readScalar = scalarReader(shape)
  if (byText.size === 0) return readScalar
  return (text) => (typeof text === 'string' && byText.has(text) ? byText.get(text) : readScalar(text))
}

/**
 * Creates the second reader for texts that the schema refuses as strings: in a field of dates and
 * numbers, `5` is the number 5.
 */
export function nonStringReader({ kinds: allowed, subschemas }: Shape): ReadText {
  const kinds = allowed & kindBits.scalar & ~kindBits.string
  const isMixed = (allowed & kindBits.string) !== 0 && kinds !== 0 && allowed !== kindBits.all
  return isMixed ? scalarReader({ kinds, subschemas }) : keepText
}

const keepText: ReadText = (value) => value

const isAnything = (shape: Shape) => shape.kinds === kindBits.all && shape.describesNoMembers

const constantsOf = ({ enum: values, const: constant }: JsonSchema): readonly unknown[] =>
  constant === undefined ? (values ?? []) : [constant]

const integerText = /^-?\d+$/
const numberText = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Creates the reader of texts for scalars. If strings are allowed, each text stays a string. */
function scalarReader({ kinds: allowed, subschemas }: Pick<Shape, 'kinds' | 'subschemas'>): ReadText {
  const isNullable = (allowed & kindBits.null) !== 0
  if ((allowed & kindBits.string) !== 0) {
    const emptyText = isNullable && refusesEmptyText(subschemas) ? null : ''
    return (text) => (text === '' ? emptyText : text)
  }
  const types = [...subschemas].flatMap(({ type = [] }) => type)
  const isInteger = types.includes('integer') && !types.includes('number')
  const isNumber = (allowed & kindBits.number) !== 0
  const isBoolean = (allowed & kindBits.boolean) !== 0
  return (text) => {
    if (typeof text !== 'string') return text
    if (isNumber && (isInteger ? integerText : numberText).test(text)) {
      const number = Number(text)
      // Rounded, an integer that is not safe would find another record.
      return isInteger && !Number.isSafeInteger(number) ? text : number
    }
    // A checkbox sends `on`.
    if (isBoolean && (text === 'true' || text === 'on' || text === 'false')) return text !== 'false'
    return isNullable && (text === 'null' || text === '') ? null : text
  }
}

const nonEmptyFormats = /^(date-time|date|time|duration|email|uri|url|uuid|ipv4|ipv6)$/

/** Returns whether each schema for strings refuses the empty string by itself. */
function refusesEmptyText(subschemas: ReadonlySet<JsonSchema>): boolean {
  const isString = (value: unknown) => typeof value === 'string'
  const ofStrings = [...subschemas].filter(
    (part) => [part.type].flat().includes('string') || constantsOf(part).some(isString)
  )
  const refuses = (part: JsonSchema) =>
    (constantsOf(part).length > 0 && !constantsOf(part).includes('')) ||
    nonEmptyFormats.test(String(part.format)) ||
    Number(part.minLength) > 0
  return ofStrings.length > 0 && ofStrings.every(refuses)
}

function listReader(shape: Shape): ReadText {
  const readItem = (item: unknown, index: number) => {
    const inner = shape.item(index).shape
    // A text is a list of one item at the outermost list only: lists may be nested without end.
    const isList = typeof item === 'string' && (inner.kinds & kindBits.array) !== 0 && !isAnything(inner)
    return isList ? scalarReader(inner)(item) : textReader(inner)(item)
  }
  const takesText = (shape.kinds & kindBits.string) !== 0
  return (value) => {
    const list = takesText && typeof value === 'string' ? scalarReader(shape)(value) : parseList(value)
    return Array.isArray(list) ? list.map(readItem) : list
  }
}

function fieldsReader(union: Shape): ReadText {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const sent: Record<string, unknown> = { ...value }
    // The discriminator of a union may be a number.
    const discriminators = union.unions.filter(({ discriminator }) => Object.hasOwn(sent, discriminator))
    const read = discriminators.map(
      ({ discriminator }) => [discriminator, textReader(union.field(discriminator).shape)(sent[discriminator])] as const
    )
    const shape = union.narrow({ ...sent, ...Object.fromEntries(read) })
    return Object.fromEntries(
      Object.entries(sent).map(([name, text]) => [name, textReader(shape.field(name).shape)(text)])
    )
  }
}

/** Converts a value of `qs` to a list: a single value, or an object by index for a long list. */
export function parseList(value: unknown): unknown {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const keys = Object.keys(value)
  return keys.length > 0 && keys.every((key, index) => key === String(index)) ? Object.values(value) : value
}
