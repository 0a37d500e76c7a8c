import type { JsonSchema, StandardSchema } from '../../../types/resource.js'
import { withFlagsOfBoth } from '../../schema/sides.js'
import { attempt } from '../errors.js'
import { isObject } from '../objects.js'
import { CodecError, encodeDefault, ZodCodecs, type ZodPart } from './codecs.js'
import { holdsPart, placeOfRefused } from './library-parts.js'
import { standardOf } from './standard-schema.js'

/** Which side of a schema that transforms is meant: what is sent, or what becomes of it. */
export type Side = 'input' | 'output'

const hint =
  'Give it a JSON Schema (TypeBox), or a Standard Schema that gives JSON Schema: zod 4.2 and later, ArkType, Valibot through ' +
  '`toStandardJsonSchema(schema)` of @valibot/to-json-schema'

/** A schema as JSON Schema. */
export interface AsJsonSchema {
  readonly document: JsonSchema
  /**
   * Whether the library has no JSON Schema of what its transformations give: the document is that
   * of what is sent.
   */
  readonly isOfInput: boolean
}

/**
 * Returns a schema as JSON Schema, without what its library has added to it.
 *
 * @throws {TypeError} when there is none
 */
export function readJsonSchema(schema: unknown, side: Side): AsJsonSchema {
  const standard = standardOf(schema)
  if (standard === undefined && isObject(schema)) return { document: copyAsJson(schema), isOfInput: side === 'input' }
  if (standard?.jsonSchema === undefined) throw new TypeError(`resource() can't use this schema. ${hint}`)
  const { jsonSchema, vendor } = standard
  const convert = (side: Side, more?: Record<string, unknown>) => {
    const vendorOptions: Record<string, unknown> = { ...optionsByVendor.get(vendor), ...more }
    const codecs = vendor === 'zod' && side === 'output' ? new ZodCodecs(schema, correctZod) : undefined
    const libraryOptions =
      codecs === undefined ? vendorOptions : { ...vendorOptions, override: withCodecs(codecs, vendorOptions.override) }
    const hasOptions = Object.keys(libraryOptions).length > 0
    const write = (target: 'draft-07' | 'draft-2020-12') =>
      copyAsJson(jsonSchema[side]({ target, ...(hasOptions && { libraryOptions }) }))
    const document = inEitherDraft(write)
    return vendor === 'zod' ? withIdOfZod(codecs?.attachTo(document) ?? document) : document
  }
  try {
    return { document: convert(side), isOfInput: side === 'input' }
  } catch (error) {
    // What a transformation gives is not known, what the other fields hold is. Valibot can't
    // describe its checks, and keeps them.
    if (error instanceof CodecError) throw error
    const options = side === 'output' ? undescribedByVendor.get(vendor) : undefined
    if (options !== undefined) return { document: convert(side, options), isOfInput: false }
    if (side === 'output') return { document: readJsonSchema(schema, 'input').document, isOfInput: true }
    const { message } = error as Error
    const document = vendor === 'valibot' ? attempt(() => convert(side, withoutActions)) : undefined
    if (document !== undefined) return { document, isOfInput: true }
    const place = refusedPlace(schema, standard, side)
    throw new TypeError(
      `resource() got no JSON Schema from ${vendor}${place && ` for '${place}'`}: ${message.replace(/\.?$/, '.')} ${adviceFor(message)}`,
      {
        cause: error
      }
    )
  }
}

/**
 * The place of the part that a library refuses. Each part is asked by itself, since the error of
 * the whole names none.
 */
function refusedPlace(schema: unknown, { vendor, jsonSchema }: StandardSchema['~standard'], side: Side): string {
  const isRefused = (part: unknown) => {
    const converter = standardOf(part)?.jsonSchema
    return (
      converter !== undefined && attempt(() => inEitherDraft((target) => converter[side]({ target }))) === undefined
    )
  }
  if (vendor !== 'valibot') return placeOfRefused(schema, isRefused)
  // The parts of a schema of Valibot give no JSON Schema themselves. The whole is the last one that
  // it tells of.
  const refused = new Set<unknown>()
  let whole: unknown
  const overrideSchema = ({ valibotSchema, errors }: ValibotPart) => {
    whole = valibotSchema
    if (errors !== undefined) refused.add(valibotSchema)
  }
  attempt(() => jsonSchema?.[side]({ target: 'draft-07', libraryOptions: { errorMode: 'ignore', overrideSchema } }))
  return placeOfRefused(whole, (part) => holdsPart(part, refused))
}

/**
 * Reads a schema as it is sent and as it leaves. What one side flags is flagged on the other one,
 * too.
 */
export function readSides(schema: unknown): { readonly input: AsJsonSchema; readonly output: AsJsonSchema } {
  const input = readJsonSchema(schema, 'input')
  const output = readJsonSchema(schema, 'output')
  // A JSON Schema has no transformations.
  if (standardOf(schema) === undefined) return { input, output }
  const sides = withFlagsOfBoth(input.document, output.document)
  return { input: { ...input, document: sides.input }, output: { ...output, document: sides.output } }
}

/**
 * A document in the words of draft 7, or of the draft after it where a library does not write
 * those.
 */
function inEitherDraft(write: (target: 'draft-07' | 'draft-2020-12') => JsonSchema): JsonSchema {
  try {
    return write('draft-07')
  } catch (error) {
    const newer = attempt(() => write('draft-2020-12'))
    if (newer === undefined) throw error
    return newer
  }
}

interface ValibotPart {
  readonly valibotSchema: { readonly type: string }
  readonly jsonSchema: object
  readonly errors?: readonly string[]
}

interface ValibotAction {
  readonly valibotAction: { readonly type: string; readonly requirement?: unknown }
  readonly jsonSchema: { readonly pattern?: string }
}

// A pattern of JSON Schema has no flags. Without those that change what it matches it would be
// another one, or none.
const isOtherPattern = (pattern: unknown): pattern is RegExp =>
  pattern instanceof RegExp && /[imsv]/.test(pattern.flags)

// zod checks them by a URL, which takes more than the pattern that it describes them by.
const formatsOfURLs = new Set<unknown>(['ipv6', 'cidrv6'])

const withCodecs = (codecs: ZodCodecs, override: unknown) => (part: ZodPart) => {
  ;(override as (part: ZodPart) => void)(part)
  codecs.describe(part)
}

// Of zod, patterns that are not those of JSON Schema are left out.
function leaveOutPatterns({ zodSchema, jsonSchema }: ZodPart): void {
  const { checks = [], format } = zodSchema._zod.def
  if (formatsOfURLs.has(format)) delete jsonSchema.pattern
  const sources = checks
    .map(({ _zod }) => _zod.def.pattern)
    .filter(isOtherPattern)
    .map(({ source }) => source)
  if (sources.length === 0) return
  if (sources.includes(String(jsonSchema.pattern))) delete jsonSchema.pattern
  if (jsonSchema.allOf) jsonSchema.allOf = jsonSchema.allOf.filter(({ pattern }) => !sources.includes(String(pattern)))
}

// zod does not say that a loose record takes other names than those of its pattern.
function correctZod(part: ZodPart): void {
  leaveOutPatterns(part)
  encodeDefault(part)
  if (part.zodSchema._zod.def.mode === 'loose') part.jsonSchema.additionalProperties ??= {}
}

// A result that is `undefined` leaves as `null` does.
function describeNothing(part: ZodPart): void {
  correctZod(part)
  const { zodSchema, path, jsonSchema } = part
  if (path.length === 0 && ['undefined', 'void'].includes(zodSchema._zod.def.type)) jsonSchema.type = 'null'
}

// Valibot does not say that an object is open.
const opened = ({ valibotSchema, jsonSchema }: ValibotPart) =>
  valibotSchema.type === 'loose_object' ? { ...jsonSchema, additionalProperties: {} } : undefined

const optionsByVendor: ReadonlyMap<string, object> = new Map([
  ['zod', { override: correctZod }],
  ['valibot', { overrideSchema: opened }]
])

// Valibot leaves out actions that JSON Schema has no keyword for. A schema that it can't describe
// at all, such as a date, is an error.
const withoutActions = {
  errorMode: 'ignore',
  overrideSchema(part: ValibotPart) {
    const [error] = part.errors ?? []
    if (error !== undefined) throw new TypeError(error)
    return opened(part)
  },
  overrideAction({ valibotAction, jsonSchema }: ValibotAction) {
    if (valibotAction.type !== 'regex' || !isOtherPattern(valibotAction.requirement)) return undefined
    const { pattern, ...others } = jsonSchema
    return others
  }
}

// Transformations of Valibot whose result is of another kind than what they get. Others, such as
// `trim`, leave it one of that kind.
const changesKind = new Set(
  'transform raw_transform map_items reduce_items find_item parse_json stringify_json parse_boolean to_bigint to_boolean to_date to_number to_string'.split(
    ' '
  )
)

const withoutResults = {
  errorMode: 'ignore',
  overrideSchema: (part: ValibotPart) => (part.errors === undefined ? opened(part) : {}),
  overrideAction: (part: ValibotAction) =>
    changesKind.has(part.valibotAction.type) ? {} : withoutActions.overrideAction(part)
}

/**
 * What describes what leaves where transformations give what JSON Schema has no words for: as
 * anything.
 */
const undescribedByVendor: ReadonlyMap<string, Record<string, unknown>> = new Map(
  Object.entries({ zod: { unrepresentable: 'any', override: describeNothing }, valibot: withoutResults })
)

const adviceFor = (message: string) =>
  /date/i.test(message)
    ? 'JSON has no dates. Describe the field by its text: z.iso.datetime() of zod, v.isoTimestamp() of Valibot, "string.date.iso" of ArkType, ' +
      "{ type: 'string', format: 'date-time' } of JSON Schema. A `Date` of a database leaves as such a text"
    : 'Describe the field by what is sent as JSON'

/**
 * A schema of zod, with the `id` of its `.meta()`: zod has made a definition of that name from it.
 * Numbers of zod itself (`__schema0`) name nothing.
 */
export function withIdOfZod(document: JsonSchema): JsonSchema {
  const [, name] = /^#\/(?:definitions|\$defs)\/(?!__schema\d)([^/]+)$/.exec(String(document.$ref)) ?? []
  return name === undefined ? document : { $id: name, ...document }
}

// A pattern of TypeBox may be a RegExp: JSON gets its source.
function copyAsJson(schema: object): JsonSchema {
  const text = JSON.stringify(schema, (_key, value) => {
    if (Object.hasOwn(Object(value), '~refine'))
      throw new TypeError(
        "resource() can't run what Type.Refine() has added, since JSON Schema has no functions: check it in a hook"
      )
    if (Object.hasOwn(Object(value), '~codec'))
      throw new TypeError(
        "resource() can't run Type.Codec(), since JSON Schema has no functions: describe the field as it is sent, and convert it in a hook"
      )
    return value instanceof RegExp ? value.source : value
  })
  return JSON.parse(text)
}
