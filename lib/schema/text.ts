import type { JsonSchema } from '../../types/standard-schema.js'
import { kindBits } from './reader.js'
import type { Shape } from './shape.js'

/** Reads what a URL or a form holds as what a schema asks for. What can't be read stays as it is, and the schema refuses it. */
export type ReadText = (value: unknown) => unknown

/** Makes the reader for texts of a shape. */
export const textReader = (shape: Shape): ReadText => shape.remember(textReader, () => createReader(shape))

function createReader(shape: Shape): ReadText {
  if (isAnything(shape)) return (value) => value
  if ((shape.kinds & kindBits.array) !== 0) return listReader(shape.of({}))
  if ((shape.kinds & kindBits.object) !== 0) return fieldsReader(shape)
  const parts = [...shape.parts]
  const values = parts.flatMap(({ enum: list = [], const: constant }) => (constant === undefined ? list : [constant]))
  const byText = new Map(values.map((value) => [String(value), value]))
  const readScalar = scalarReader(shape)
  return (text) => (typeof text === 'string' && byText.has(text) ? byText.get(text) : readScalar(text))
}

/** Makes the reader of what a text may mean that is none of the texts of a shape: the number 5 in a field that holds dates or numbers. Nothing where there is no other meaning. */
export function readerBesideTexts({ kinds: allowed, parts }: Shape): ReadText | undefined {
  const beside = allowed & kindBits.scalar & ~kindBits.string
  const isMixed = (allowed & kindBits.string) !== 0 && beside !== 0 && allowed !== kindBits.all
  return isMixed ? scalarReader({ kinds: beside, parts }) : undefined
}

const isAnything = (shape: Shape) => shape.kinds === kindBits.all && shape.saysNothing

const whole = /^-?\d+$/
const decimal = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

// Where a string is allowed, every text stays one: `null` too. An empty input of a form is `null` where it can be nothing else.
function scalarReader({ kinds: allowed, parts }: Pick<Shape, 'kinds' | 'parts'>): ReadText {
  const isNullable = (allowed & kindBits.null) !== 0
  if ((allowed & kindBits.string) !== 0) {
    const emptyText = isNullable && refusesEmptyText(parts) ? null : ''
    return (text) => (text === '' ? emptyText : text)
  }
  const types = [...parts].flatMap(({ type = [] }) => type)
  const isNumber = (allowed & kindBits.number) !== 0
  const isWhole = types.includes('integer') && !types.includes('number')
  return (text) => {
    if (typeof text !== 'string') return text
    if (isNumber && !isWhole && decimal.test(text)) return Number(text)
    // A text that no integer has exactly stays a text: rounded, it would find another record.
    if (isNumber && isWhole && whole.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : text
    // A checkbox sends `on`.
    if ((allowed & kindBits.boolean) !== 0 && /^(true|on|false)$/.test(text)) return text !== 'false'
    return isNullable && (text === 'null' || text === '') ? null : text
  }
}

// Formats that no empty text has.
const filledFormats = /^(date-time|date|time|duration|email|uri|url|uuid|ipv4|ipv6)$/

/** Whether each schema of texts at a place says by itself that no text is empty. */
function refusesEmptyText(parts: ReadonlySet<JsonSchema>): boolean {
  const valuesOf = ({ enum: values, const: constant }: JsonSchema) =>
    values ?? (constant === undefined ? [] : [constant])
  const ofTexts = [...parts].filter(
    (part) => [part.type].flat().includes('string') || valuesOf(part).some((value) => typeof value === 'string')
  )
  const refuses = (part: JsonSchema) =>
    (valuesOf(part).length > 0 && !valuesOf(part).includes('')) ||
    filledFormats.test(String(part.format)) ||
    Number(part.minLength) > 0
  return ofTexts.length > 0 && ofTexts.every(refuses)
}

function listReader(shape: Shape): ReadText {
  const readScalar = scalarReader(shape)
  const isWithinItself = holdsItself(shape)
  return (value) => {
    // A list whose items may be such lists: one text would be a list in a list without end.
    const list = isWithinItself && typeof value === 'string' ? readScalar(value) : parseList(value)
    return Array.isArray(list) ? list.map((item, index) => textReader(shape.item(index).shape)(item)) : list
  }
}

/** Whether the items of a list may be lists of the same kind, at some depth. */
function holdsItself(shape: Shape): boolean {
  const visited = new Set<Shape>()
  let list = shape
  while (!isAnything(list) && (list.kinds & kindBits.array) !== 0) {
    if (visited.has(list)) return true
    visited.add(list)
    list = list.item(0).shape.of({})
  }
  return false
}

function fieldsReader(union: Shape): ReadText {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    // The tag of a union may be a number.
    const tags = union.unions.map(({ tag }) => [tag, textReader(union.field(tag).shape)(Object(value)[tag])] as const)
    const shape = union.of({ ...value, ...Object.fromEntries(tags.filter(([tag]) => Object.hasOwn(value, tag))) })
    return Object.fromEntries(
      Object.entries(value).map(([name, text]) => [name, textReader(shape.field(name).shape)(text)])
    )
  }
}

/** Makes a list of what `qs` has parsed: it gives a single value without a list, and a long list as an object with indices as keys. */
export function parseList(value: unknown): unknown {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const keys = Object.keys(value)
  return keys.length > 0 && keys.every((key, index) => key === String(index)) ? Object.values(value) : value
}
