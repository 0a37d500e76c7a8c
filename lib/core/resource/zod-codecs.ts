import type { JsonSchema, StandardSchema } from '../../../types/resource.js'
import { Codec, type CodecFunctions, codecKeyword } from '../../schema/codec.js'
import { noNames } from '../../schema/flagged-names.js'
import { flagKeywords } from '../../schema/keywords.js'
import { createProjection } from '../../schema/project.js'
import { WrittenSchema } from '../../schema/written-schema.js'
import { attempt } from '../errors.js'
import { isPlain } from '../objects.js'
import { immediateValidateOf, type StandardValidate } from './standard-schema.js'

/** Result of a run of zod. */
interface Payload {
  readonly value: unknown
  readonly issues: readonly { readonly message?: string; readonly code?: string }[]
}

interface ZodType extends StandardSchema {
  meta?(): { readonly readOnly?: unknown; readonly writeOnly?: unknown } | undefined
  readonly _zod: {
    readonly def: TypeDefinition
    run(payload: Payload, context: object): Payload | Promise<Payload>
  }
}

interface TypeDefinition {
  readonly type: string
  readonly mode?: string
  readonly pattern?: RegExp
  readonly format?: string
  readonly checks?: readonly ZodCheck[]
  readonly innerType?: ZodType
  readonly getter?: () => unknown
  readonly defaultValue?: unknown
  readonly in?: ZodType
  readonly out?: ZodType
  readonly transform?: unknown
  readonly reverseTransform?: (value: unknown, payload: Payload) => unknown
}

type ZodCheck = { readonly _zod: { readonly def: { readonly pattern?: unknown } } }

interface CodecDefinition extends TypeDefinition {
  readonly in: ZodType
  readonly out: ZodType
  readonly reverseTransform: (value: unknown, payload: Payload) => unknown
}

/** A schema whose JSON Schema zod is writing. */
export interface ZodPart {
  readonly zodSchema: ZodType
  readonly path: readonly unknown[]
  readonly jsonSchema: {
    type?: string
    pattern?: string
    allOf?: readonly { readonly pattern?: string }[]
    additionalProperties?: unknown
    [keyword: string]: unknown
  }
}

/** Thrown if a codec can't both encode and decode. */
export class CodecError extends TypeError {}

/** Encodes the default of a codec for the JSON Schema, since zod writes the decoded value. */
export function encodeDefault({ zodSchema, jsonSchema }: ZodPart): void {
  const { type, innerType, defaultValue } = zodSchema._zod.def
  if (type !== 'default' || innerType === undefined) return
  const encoded = attempt(() => runBackward(innerType, defaultValue))
  if (encoded?.issues.length === 0) jsonSchema.default = encoded.value
}

const isCodec = (def: TypeDefinition): def is CodecDefinition =>
  def.type === 'pipe' && typeof def.reverseTransform === 'function'

// A query compares scalars. Values of these types would be read as operators.
const compounds = new Set(['object', 'array', 'tuple', 'record', 'map', 'set', 'intersection', 'file'])

/**
 * Describes codecs of zod by their values on the wire: the response has the JSON Schema of the
 * input.
 *
 * @throws {TypeError} if a codec can't both encode and decode
 */
export class ZodCodecs {
  readonly #codecs: Codec[] = []
  readonly #record: unknown
  readonly #correct: (part: ZodPart) => void

  /**
   * @param record the schema that is converted
   * @param correct the override of zod's JSON Schema that holds for all schemas
   */
  constructor(record: unknown, correct: (part: ZodPart) => void) {
    this.#record = record
    this.#correct = correct
  }

  /** Replaces the JSON Schema that zod has written for a codec. */
  describe({ zodSchema, jsonSchema, path }: ZodPart): void {
    const part: Record<string, unknown> = jsonSchema
    const { def } = zodSchema._zod
    if (!isCodec(def)) return
    const { readOnly, writeOnly } = part
    const codec = this.#create(zodSchema, def, path)
    const wire = this.#documentOf(zodSchema, 'input')
    for (const keyword of Object.keys(part)) delete part[keyword]
    // Local references need a document of their own.
    const isDocument = wire.$ref !== undefined || wire.definitions !== undefined
    Object.assign(part, wire, { [codecKeyword]: codec.id }, isDocument && { $id: `codec:${codec.id}` })
    for (const [flag, value] of Object.entries({ readOnly, writeOnly })) if (value === true) part[flag] = true
  }

  /** Adds the codecs to the document that zod has written. */
  attachTo(document: JsonSchema): JsonSchema {
    if (this.#codecs.length === 0) return document
    return JSON.parse(JSON.stringify(document), (keyword, value) =>
      keyword === codecKeyword ? this.#codecs[value] : value
    )
  }

  #create(schema: ZodType, def: CodecDefinition, path: readonly unknown[]): Codec {
    const refuse = (why: string) => new CodecError(`resource() can't use the codec of '${codecPlace(path)}': ${why}`)
    if ([def.transform, def.reverseTransform].some(isAsyncFunction)) throw refuse('its functions must not be async')
    const sides = [...typesWithin(def.in), ...typesWithin(def.out)]
    if (sides.some(({ _zod }) => _zod.def.type === 'transform')) throw refuse('a z.transform() within has no way back')
    if (sides.includes(this.#record as ZodType)) throw refuse('it holds the record itself')
    for (const flag of flagKeywords)
      if ([...typesWithin(def.out)].some((part) => part !== def.out && part.meta?.()?.[flag] === true))
        throw refuse(`a field within is \`${flag}\`, but the codec converts it as a whole. Flag the whole field`)
    const isComparable = !compounds.has(def.out._zod.def.type)
    const codec = new Codec(
      this.#codecs.length,
      isComparable,
      createFunctions(schema, def, this.#documentOf(def.out, 'output'))
    )
    this.#codecs.push(codec)
    return codec
  }

  #documentOf(schema: ZodType, side: 'input' | 'output'): JsonSchema {
    const libraryOptions = { override: this.#correct, ...(side === 'output' && { unrepresentable: 'any' }) }
    const { jsonSchema } = schema['~standard'] as Required<StandardSchema['~standard']>
    const { $schema, ...document } = jsonSchema[side]({ target: 'draft-07', libraryOptions })
    return document
  }
}

/** Yields a schema of zod, and all schemas within it. */
function* typesWithin(schema: unknown, visited = new Set<unknown>()): Generator<ZodType> {
  const { def } = (schema as Partial<ZodType> | undefined)?._zod ?? {}
  if (def === undefined || visited.has(schema)) return
  visited.add(schema)
  yield schema as ZodType
  const values = Object.values(def.type === 'lazy' ? { inner: def.getter?.() } : def)
  for (const value of values)
    for (const part of isPlain(value) || Array.isArray(value) ? Object.values(value) : [value])
      yield* typesWithin(part, visited)
}

const isAsyncFunction = (way: unknown) => Object(way)[Symbol.toStringTag] === 'AsyncFunction'

const codecPlace = (path: readonly unknown[]) => path.filter((key) => key !== 'properties' && key !== 'items').join('.')

function createFunctions(schema: ZodType, def: CodecDefinition, decoded: JsonSchema): CodecFunctions {
  // Limits are not checked: a stored record can be sent even if it breaks one.
  const kind = withoutChecks(def.out) as ZodType
  const decode = immediateValidateOf(schema) as StandardValidate
  // A driver may return a string for a number, or a number for a boolean.
  const { shapes } = new WrittenSchema(decoded, { flagged: noNames, ignoresFlags: true })
  const ofDriver = createProjection(shapes, true)
  const encode = (value: unknown) => {
    const result = runBackward(kind, value)
    if (result.issues.length > 0) return undefined
    const payload = { value: result.value, issues: [] }
    const encoded = def.reverseTransform(result.value, payload)
    if (encoded instanceof Promise) return refuseAsync(encoded)
    if (payload.issues.length > 0) return undefined
    // The wire may have codecs of its own.
    const whole = runBackward(def.in, encoded)
    return { value: whole.issues.length > 0 ? encoded : whole.value }
  }
  return {
    encode: (value) => encode(value) ?? (isPlainScalar(value) ? encode(ofDriver(value)) : undefined),
    decode(value) {
      const result = attempt(() => decode(value)) ?? { issues: [] }
      if (result instanceof Promise) return refuseAsync(result)
      return result.issues === undefined ? result : { message: result.issues[0]?.message ?? 'is not valid' }
    }
  }
}

/** Returns a schema of zod without its checks of an object as a whole. */
function withoutChecks(schema: unknown): unknown {
  const { _zod, clone } = Object(schema)
  if (_zod === undefined || clone === undefined) return schema
  const { type, in: first, out, checks = [] } = _zod.def
  if (type === 'pipe') return clone({ ..._zod.def, in: withoutChecks(first), out: withoutChecks(out) })
  const isKept = (check: { _zod: { def: { check: string } } }) => check._zod.def.check === 'overwrite'
  return checks.length === 0 ? schema : clone({ ..._zod.def, checks: checks.filter(isKept) })
}

const isPlainScalar = (value: unknown) => value !== null && typeof value !== 'object' && value !== undefined

function runBackward(schema: ZodType, value: unknown): Payload {
  const result = schema._zod.run({ value, issues: [] }, { direction: 'backward', async: true })
  return result instanceof Promise ? refuseAsync(result) : result
}

/** @throws {TypeError} since responses and queries can't wait for it */
function refuseAsync(promise: Promise<unknown>): never {
  promise.catch(() => {})
  throw new TypeError('The functions and checks of a codec must not be async')
}
