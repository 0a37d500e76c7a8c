import { isDeepStrictEqual } from 'node:util'
import { listOf, mapOf, type Node, type References, type Schema } from './references.js'

/** What a schema says of a value: whether it fits, which names and items the schema has looked at, and which schemas apply to which place. */
export interface Evaluation {
  readonly isValid: boolean
  readonly names: ReadonlySet<string>
  readonly items: ReadonlySet<number>
  /** The schemas that have taken the value or a part of it, by the JSON pointer of that part: their other keywords are annotations. */
  readonly applied: readonly (readonly [place: string, schema: Node])[]
}

/** Names that a part of a record need not have although it is asked for them, by the JSON pointer of the part. */
export type Exempt = ReadonlyMap<string, ReadonlySet<string>>

const none: Evaluation = { isValid: true, names: new Set(), items: new Set(), applied: [] }
const refused: Evaluation = { ...none, isValid: false }

export const placeOf = (place: string, key: string | number) =>
  `${place}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`

export function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

export const isOfType = (value: unknown, type: unknown) =>
  type === 'integer' ? Number.isInteger(value) : typeOf(value) === type

const formats: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d)$/,
  email: /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
  ipv4: /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}$/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
}

/**
 * Evaluates a value by a schema as the texts of JSON Schema 2020-12 say, keyword by keyword. Lists in `items`, `additionalItems` and `dependencies`, which are older, are as they
 * were. Nothing is done for speed.
 *
 * @param place the JSON pointer of the value in the whole
 * @param exempt what need not be there
 */
export function evaluate(
  schema: Schema,
  value: unknown,
  references: References,
  exempt: Exempt = new Map(),
  place = ''
): Evaluation {
  if (schema === true) return none
  if (schema === false) return refused
  const here = (part: Schema) => evaluate(part, value, references, exempt, place)
  const parts = [
    ...inPlace(schema, value, here, references, exempt.get(place)),
    ...ofFields(schema, value, (part, name) =>
      evaluate(part, Object(value)[name], references, exempt, placeOf(place, name))
    ),
    ...ofItems(schema, value, (part, index) =>
      evaluate(part, (value as unknown[])[index], references, exempt, placeOf(place, index))
    )
  ]
  const target =
    schema.not === undefined ? undefined : evaluate(schema.not as Schema, value, references, new Map(), place)
  if (target?.isValid || !fits(schema, value, exempt.get(place))) return refused
  if (isObject(value) && schema.propertyNames !== undefined) {
    const named = Object.keys(value).map((name) => evaluate(schema.propertyNames as Schema, name, references))
    if (named.some(({ isValid }) => !isValid)) return refused
  }
  const evaluation = together(parts, [[place, schema]])
  return unevaluated(schema, value, evaluation, (part, key) =>
    evaluate(part, Object(value)[key], references, exempt, placeOf(place, key))
  )
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeOf(value) === 'object'

/** All of several evaluations: one that does not fit makes the whole so. */
function together(parts: readonly Evaluation[], applied: Evaluation['applied'] = []): Evaluation {
  if (parts.some(({ isValid }) => !isValid)) return refused
  return {
    isValid: true,
    names: new Set(parts.flatMap(({ names }) => [...names])),
    items: new Set(parts.flatMap(({ items }) => [...items])),
    applied: [...applied, ...parts.flatMap((part) => part.applied)]
  }
}

/** The keywords that apply schemas to the value itself. */
function inPlace(
  schema: Node,
  value: unknown,
  here: (part: Schema) => Evaluation,
  references: References,
  exempt: ReadonlySet<string> = new Set()
): Evaluation[] {
  const parts: Evaluation[] = []
  const target = references.target(schema)
  if (target !== undefined) parts.push(here(target))
  parts.push(...listOf(schema.allOf).map(here))
  if (schema.anyOf !== undefined) {
    const fitting = listOf(schema.anyOf)
      .map(here)
      .filter(({ isValid }) => isValid)
    parts.push(fitting.length > 0 ? together(fitting) : refused)
  }
  if (schema.oneOf !== undefined) {
    const fitting = listOf(schema.oneOf)
      .map(here)
      .filter(({ isValid }) => isValid)
    // Without the tag, which the server sets, a value of two branches will be of one.
    const isConstant = (field: Schema = true) => typeof field === 'object' && ('const' in field || 'enum' in field)
    const isTag = (name: string) =>
      listOf(schema.oneOf).filter((branch) => isConstant(mapOf(Object(branch).properties).get(name))).length > 1
    const isLeft = fitting.length > 1 && [...exempt].some(isTag)
    parts.push(fitting.length === 1 || isLeft ? together(fitting) : refused)
  }
  if (schema.if !== undefined) {
    const condition = here(schema.if as Schema)
    if (condition.isValid) parts.push(condition)
    const consequence = (condition.isValid ? schema.then : schema.else) as Schema | undefined
    if (consequence !== undefined) parts.push(here(consequence))
  }
  for (const [name, part] of [...mapOf(schema.dependentSchemas), ...mapOf(schema.dependencies)])
    if (isObject(value) && Object.hasOwn(value, name)) parts.push(here(part))
  return parts
}

/** The schemas that a schema applies to a field, without `unevaluatedProperties`. */
export function schemasOfField(schema: Node, name: string): Schema[] {
  const byName = Object.hasOwn(Object(schema.properties), name) ? [mapOf(schema.properties).get(name) as Schema] : []
  const byPattern = [...mapOf(schema.patternProperties)]
    .filter(([pattern]) => new RegExp(pattern, 'u').test(name))
    .map(([, part]) => part)
  const named = [...byName, ...byPattern]
  const isRest = named.length === 0 && schema.additionalProperties !== undefined
  return isRest ? [schema.additionalProperties as Schema] : named
}

/** The schemas that a schema applies to an item, without `unevaluatedItems` and `contains`. */
export function schemasOfItem(schema: Node, index: number): Schema[] {
  const isOlder = Array.isArray(schema.items)
  const tuple = listOf(isOlder ? schema.items : schema.prefixItems)
  const rest = (isOlder ? schema.additionalItems : schema.items) as Schema | undefined
  return [tuple[index] ?? rest].filter((part) => part !== undefined)
}

function ofFields(schema: Node, value: unknown, at: (part: Schema, name: string) => Evaluation): Evaluation[] {
  if (!isObject(value)) return []
  return Object.keys(value).flatMap((name) =>
    schemasOfField(schema, name).map((part) => ({
      ...at(part, name),
      names: new Set([name]),
      items: new Set<number>()
    }))
  )
}

function ofItems(schema: Node, value: unknown, at: (part: Schema, index: number) => Evaluation): Evaluation[] {
  if (!Array.isArray(value)) return []
  const single = (index: number, evaluation: Evaluation) => ({
    ...evaluation,
    names: new Set<string>(),
    items: new Set([index])
  })
  const parts = [...value.keys()].flatMap((index) =>
    schemasOfItem(schema, index).map((part) => single(index, at(part, index)))
  )
  if (schema.contains === undefined) return parts
  const contained = [...value.keys()]
    .map((index) => single(index, at(schema.contains as Schema, index)))
    .filter(({ isValid }) => isValid)
  const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema as Record<string, number>
  const isEnough = contained.length >= minContains && contained.length <= maxContains
  return [...parts, ...(isEnough ? contained : [refused])]
}

/** What no other keyword of the schema, and of those that it applies to the same place, has looked at. */
function unevaluated(
  schema: Node,
  value: unknown,
  evaluation: Evaluation,
  at: (part: Schema, key: string | number) => Evaluation
): Evaluation {
  if (!evaluation.isValid) return refused
  const parts = [evaluation]
  const { unevaluatedProperties, unevaluatedItems } = schema as Record<string, Schema | undefined>
  if (isObject(value) && unevaluatedProperties !== undefined)
    for (const name of Object.keys(value).filter((name) => !evaluation.names.has(name)))
      parts.push({ ...at(unevaluatedProperties, name), names: new Set([name]), items: new Set() })
  if (Array.isArray(value) && unevaluatedItems !== undefined)
    for (const index of [...value.keys()].filter((index) => !evaluation.items.has(index)))
      parts.push({ ...at(unevaluatedItems, index), names: new Set(), items: new Set([index]) })
  return together(parts)
}

/** The keywords that hold no schemas. */
function fits(schema: Node, value: unknown, exempt: ReadonlySet<string> = new Set()): boolean {
  const { type, enum: values } = schema
  if (type !== undefined && ![type].flat().some((item) => isOfType(value, item))) return false
  if (Array.isArray(values) && !values.some((entry) => isDeepStrictEqual(entry, value))) return false
  if ('const' in schema && !isDeepStrictEqual(schema.const, value)) return false
  if (typeof value === 'number') return fitsNumber(schema as Limits, value)
  if (typeof value === 'string') return fitsText(schema as Limits, value)
  if (Array.isArray(value)) {
    const isTwice = (one: unknown, index: number) =>
      value.slice(0, index).some((other) => isDeepStrictEqual(one, other))
    return isBetween(schema, value.length, 'Items') && !(schema.uniqueItems === true && value.some(isTwice))
  }
  if (!isObject(value)) return true
  const has = (name: string) => Object.hasOwn(value, name) || exempt.has(name)
  const asked = { ...(schema.dependencies as object | undefined), ...(schema.dependentRequired as object | undefined) }
  const dependent = Object.entries(asked).filter(([name, names]) => Array.isArray(names) && Object.hasOwn(value, name))
  const names = [schema.required ?? [], ...dependent.map(([, names]) => names)].flat() as string[]
  // What the server adds counts, too. An empty object is refused all the same.
  const { minProperties: least = 0 } = schema as Limits
  const counted = { ...schema, minProperties: Math.max(Math.min(least, 1), least - exempt.size) }
  return isBetween(counted, Object.keys(value).length, 'Properties') && names.every(has)
}

type Limits = Node & { readonly [keyword: string]: number | undefined }

function isBetween(schema: Node, count: number, of: 'Items' | 'Properties' | 'Length'): boolean {
  const { [`min${of}`]: least = 0, [`max${of}`]: most = Number.POSITIVE_INFINITY } = schema as Limits
  return count >= least && count <= most
}

function fitsNumber(schema: Limits, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  // As people mean it: 1.13 is a multiple of 0.01, although that of floating point is not.
  const quotient = multipleOf === undefined ? 0 : value / multipleOf
  return (
    value >= (minimum ?? value) &&
    value <= (maximum ?? value) &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum) &&
    Math.abs(quotient - Math.round(quotient)) < 1e-9
  )
}

function fitsText(schema: Node, value: string): boolean {
  const { pattern, format } = schema as Record<string, string | undefined>
  // A format that is not known says nothing.
  const isFormatted = format === undefined || !Object.hasOwn(formats, format) || formats[format]?.test(value) === true
  const isMatching = pattern === undefined || new RegExp(pattern, 'u').test(value)
  return isFormatted && isMatching && isBetween(schema, [...value].length, 'Length')
}
