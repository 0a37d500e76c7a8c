import type { JsonSchema, StandardSchema } from '../../../types/standard-schema.js'
import { shareFlags } from '../../schema/input-output.js'
import { kindBits } from '../../schema/reader.js'
import type { WrittenSchema } from '../../schema/written-schema.js'
import { attempt } from '../errors.js'
import { isObject } from '../objects.js'
import { libraryOf } from './library.js'
import { type Side, standardOf } from './standard-schema.js'
import type { ValibotPart } from './valibot.js'
import { CodecError } from './zod-codecs.js'

const hint =
  'Give it a JSON Schema (TypeBox), or a Standard Schema that gives JSON Schema: zod 4.2 and later, ArkType, Valibot through ' +
  '`toStandardJsonSchema(schema)` of @valibot/to-json-schema'

/** The JSON Schema of a schema. */
interface AsJsonSchema {
  readonly document: JsonSchema
  /** Whether it describes the input, because the library can't describe the output. */
  readonly isOfInput: boolean
}

/**
 * Returns a schema as plain JSON Schema.
 *
 * @throws {TypeError} if it has none
 */
export function readJsonSchema(schema: unknown, side: Side): AsJsonSchema {
  const standard = standardOf(schema)
  if (standard === undefined && isObject(schema)) return { document: copyAsJson(schema), isOfInput: false }
  if (standard?.jsonSchema === undefined) throw new TypeError(`resource() can't use this schema. ${hint}`)
  const library = libraryOf(schema)
  try {
    return { document: convert(schema, side), isOfInput: side === 'input' }
  } catch (error) {
    if (error instanceof CodecError) throw error
    // The result of a transformation is unknown, but the other fields are not.
    const options = side === 'output' ? library?.undescribedOptions : undefined
    if (options !== undefined) return { document: convert(schema, side, options), isOfInput: false }
    if (side === 'output') return { document: readJsonSchema(schema, 'input').document, isOfInput: true }
    const fallback = library?.inputFallbackOptions
    const document = fallback && attempt(() => convert(schema, side, fallback))
    if (document !== undefined) return { document, isOfInput: true }
    throw toRefusal(schema, standard, side, error as Error)
  }
}

function convert(schema: unknown, side: Side, more: Readonly<Record<string, unknown>> = {}): JsonSchema {
  const { jsonSchema } = standardOf(schema) ?? {}
  const library = libraryOf(schema)
  const options = { ...library?.jsonSchemaOptions, ...more }
  const write = (libraryOptions: Readonly<Record<string, unknown>>) =>
    inEitherDraft((target) =>
      copyAsJson(
        jsonSchema?.[side]({ target, ...(Object.keys(libraryOptions).length > 0 && { libraryOptions }) }) ?? {}
      )
    )
  return library?.convert?.(schema, side, options, write) ?? write(options)
}

function toRefusal(schema: unknown, standard: StandardSchema['~standard'], side: Side, cause: Error): TypeError {
  const { message } = cause
  const place = refusedPlace(schema, standard, side)
  return new TypeError(
    `resource() got no JSON Schema from ${standard.vendor}${place && ` for '${place}'`}: ` +
      `${message.replace(/\.?$/, '.')} ${adviceFor(message)}`,
    { cause }
  )
}

const adviceFor = (message: string) =>
  /date/i.test(message)
    ? 'JSON has no dates. Describe the field by its text: z.iso.datetime() of zod, v.isoTimestamp() of Valibot, "string.date.iso" of ArkType, ' +
      "{ type: 'string', format: 'date-time' } of JSON Schema. A `Date` of a database leaves as such a text"
    : 'Describe the field by what is sent as JSON'

/** Writes a document in draft 7, or in draft 2020-12 if the library does not support draft 7. */
function inEitherDraft(write: (target: 'draft-07' | 'draft-2020-12') => JsonSchema): JsonSchema {
  try {
    return write('draft-07')
  } catch (error) {
    const newer = attempt(() => write('draft-2020-12'))
    if (newer === undefined) throw error
    return newer
  }
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

/** The input and the output of a schema, with the flags of both. */
interface Sides {
  readonly input: AsJsonSchema
  readonly output: AsJsonSchema
  /** The place where a transformation loses a hidden field, see `shareFlags`. */
  readonly undescribed?: string | undefined
}

/**
 * Reads both sides of a schema. A field that is flagged on one side is flagged on the other, too.
 */
export function readSides(schema: unknown): Sides {
  const input = readJsonSchema(schema, 'input')
  // A JSON Schema has no transformations.
  if (standardOf(schema) === undefined) return { input, output: input }
  const output = readJsonSchema(schema, 'output')
  const shared = shareFlags(input.document, output.document)
  return {
    input: { ...input, document: shared.input },
    output: { ...output, document: shared.output },
    undescribed: shared.undescribed
  }
}

/**
 * Returns the output of a schema, for responses.
 * @throws {TypeError} if a transformation without a described result could send a hidden field
 */
export function outputOf({ output, undescribed }: Sides): AsJsonSchema {
  if (undescribed === undefined) return output
  throw new TypeError(
    `resource() can't hide the \`writeOnly\` fields of ${undescribed === '' ? 'the record' : `'${undescribed}'`}: ` +
      'it has a transformation whose result no schema describes. Describe the result, as in .pipe(z.object({ … })), ' +
      'or set the option `response`'
  )
}

/**
 * Reads the response schema of a custom method. Flags of its input count too, if JSON Schema can
 * describe that.
 * @throws {TypeError} as `outputOf`
 */
export function readResponse(schema: unknown): AsJsonSchema {
  const sides = attempt(() => readSides(schema))
  return sides === undefined ? readJsonSchema(schema, 'output') : outputOf(sides)
}

/** @throws {TypeError} if the schema is not of an object with fields */
export function assertHasFields({ shapes: { root } }: WrittenSchema): void {
  if ((root.kinds !== kindBits.object && root.kinds !== kindBits.all) || root.describesNoMembers)
    throw new TypeError('resource() needs the schema of an object with its properties: that of one record')
}

/**
 * Finds the subschema that a library refuses, since its error names none. Asks for each on its own.
 */
function refusedPlace(schema: unknown, { vendor, jsonSchema }: StandardSchema['~standard'], side: Side): string {
  const isRefused = (subschema: unknown) => {
    const converter = standardOf(subschema)?.jsonSchema
    return (
      converter !== undefined && attempt(() => inEitherDraft((target) => converter[side]({ target }))) === undefined
    )
  }
  if (vendor !== 'valibot') return innermostRefused(schema, isRefused)
  // Schemas within one of Valibot have no JSON Schema of their own. Its converter reports each of
  // them, the whole one last.
  const refused = new Set<unknown>()
  let whole: unknown
  const overrideSchema = ({ valibotSchema, errors }: ValibotPart) => {
    whole = valibotSchema
    if (errors !== undefined) refused.add(valibotSchema)
  }
  attempt(() => jsonSchema?.[side]({ target: 'draft-07', libraryOptions: { errorMode: 'ignore', overrideSchema } }))
  return innermostRefused(whole, (subschema) => contains(subschema, refused))
}

/**
 * Returns the place of the innermost subschema of zod or Valibot that is refused, as in
 * `deep.list[]`; the empty string for the whole schema, and for other libraries.
 */
function innermostRefused(schema: unknown, isRefused: (subschema: unknown) => boolean): string {
  const visited = new Set<unknown>()
  const visit = (schema: unknown, place: string): string | undefined => {
    if (visited.has(schema)) return undefined
    visited.add(schema)
    const refused = librarySubschemas(schema).filter(([, subschema]) => isRefused(subschema))
    if (refused.length === 0) return place
    for (const [name, subschema] of refused) {
      const innermost = visit(subschema, place + name)
      if (innermost !== undefined) return innermost
    }
    return undefined
  }
  return (visit(schema, '') ?? '').replace(/^\./, '')
}

/** Returns whether a schema of Valibot is one of these, or contains one at any depth. */
function contains(schema: unknown, wanted: ReadonlySet<unknown>, visited = new Set<unknown>()): boolean {
  if (wanted.has(schema)) return true
  if (visited.has(schema)) return false
  visited.add(schema)
  return librarySubschemas(schema).some(([, subschema]) => contains(subschema, wanted, visited))
}

type LibrarySubschema = readonly [name: string, schema: unknown]

/** Returns the schemas within a schema of zod or Valibot, each with its place in the value. */
function librarySubschemas(schema: unknown): readonly LibrarySubschema[] {
  const { _zod, ...ofValibot } = Object(schema)
  const { shape, entries, element, item, items, valueType, value, catchall, rest, getter, ...others } =
    _zod?.def ?? ofValibot
  const { options = [], pipe = [], left, right, innerType, wrapped, in: sent, out } = others
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  const at = (name: string, schemas: readonly unknown[]) => schemas.map((schema): LibrarySubschema => [name, schema])
  const fields = Object.entries((shape ?? entries ?? {}) as Readonly<Record<string, unknown>>)
  return [
    ...fields.map(([name, field]): LibrarySubschema => [`.${name}`, field]),
    ...at('[]', [element, item, ...list(items)]),
    ...at('.*', [valueType, value, catchall, rest]),
    ...at('', [...list(options), ...list(pipe), left, right, innerType, wrapped, sent, out]),
    ...at('', typeof getter === 'function' && _zod !== undefined ? [getter()] : [])
  ].filter(([, inner]) => typeof inner === 'object' && inner !== null)
}
