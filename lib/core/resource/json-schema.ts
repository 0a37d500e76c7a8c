import type { JsonSchema } from '../../../types/standard-schema.js'
import { Bundle } from '../../schema/bundle.js'
import { shareFlags } from '../../schema/input-output.js'
import { kindBits } from '../../schema/reader.js'
import type { WrittenSchema } from '../../schema/written-schema.js'
import { attempt } from '../errors.js'
import { isObject } from '../objects.js'
import { libraryOf } from './library.js'
import { refusedKeyword, type Side, standardOf } from './standard-schema.js'
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
    throw toRefusal(schema, standard.vendor, error as Error)
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

function toRefusal(schema: unknown, vendor: string, cause: Error): TypeError {
  const { message } = cause
  const place = refusedPlace(schema)
  return new TypeError(
    `resource() got no JSON Schema from ${vendor}${place && ` for '${place}'`}: ` +
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

/** Finds the innermost place that a library refuses, since its error names none. */
function refusedPlace(schema: unknown): string {
  const options = libraryOf(schema)?.markRefused
  const document = options && attempt(() => convert(schema, 'input', options))
  if (document === undefined) return ''
  const bundle = new Bundle(document)
  const places = [...bundle.placesFrom(bundle.schema, '')]
  return places.findLast(([part]) => part[refusedKeyword] === true)?.[1] ?? ''
}
