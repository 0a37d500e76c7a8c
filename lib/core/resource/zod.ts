import type { JsonSchema } from '../../../types/standard-schema.js'
import { parseDefinitionReference } from '../../schema/pointer.js'
import { attempt } from '../errors.js'
import type { LibraryPlace, Omit } from './omit.js'
import {
  fieldsStructure,
  isOtherPattern,
  type LibraryStructure,
  refusedKeyword,
  type SchemaLibrary,
  type Side
} from './standard-schema.js'
import { encodeDefault, ZodCodecs, type ZodPart } from './zod-codecs.js'

interface ZodSchema {
  readonly _zod: {
    readonly def: {
      readonly type: string
      readonly shape?: Readonly<Record<string, unknown>>
      readonly catchall?: unknown
      readonly options?: readonly unknown[]
      readonly innerType?: unknown
      readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string } } }[]
    }
  }
}

const isNever = (schema: unknown) => (schema as ZodSchema | undefined)?._zod.def.type === 'never'

function zodStructure(schema: unknown): LibraryStructure | undefined {
  const { type, shape = {}, catchall, options = [], innerType, checks = [] } = (schema as ZodSchema)._zod.def
  if (checks.some(({ _zod }) => _zod.def.check === 'overwrite')) return undefined
  if (type === 'object') return fieldsStructure(shape, isNever(catchall) ? undefined : catchall)
  if (type === 'union') return { branches: options }
  return type === 'readonly' ? zodStructure(innerType) : undefined
}

interface ZodNode {
  readonly _zod: { readonly def: Definition; readonly values?: ReadonlySet<unknown> }
  clone(definition: object): object
}

interface Definition {
  readonly type: string
  readonly [part: string]: unknown
}

/**
 * Copies by `clone`, which keeps the checks of whole objects: `.omit()` throws if there are any.
 */
const omitFromZod: Omit = (schema, place) => {
  const { def } = (schema as ZodNode)._zod
  switch (def.type) {
    case 'object':
      return omitFromObject(schema, place)
    case 'array':
      return copyWith(schema, { element: place.item(0).omit(def.element) })
    case 'tuple': {
      const items = (def.items as unknown[]).map((item, index) => place.item(index).omit(item))
      return copyWith(schema, { items, rest: place.item(items.length).omit(def.rest) })
    }
    case 'record': {
      const { values = [] } = (def.keyType as ZodNode)._zod
      if ([...values].some((key) => place.lacks(String(key)))) place.refuse('a record of zod asks for all of its keys')
      return copyWith(schema, { valueType: place.others.omit(def.valueType) })
    }
    case 'union': {
      const options = def.options as unknown[]
      const branches = place.branches(options.length)
      return copyWith(schema, { options: options.map((option, index) => branches[index]?.omit(option)) })
    }
    case 'intersection':
      return copyWith(schema, { left: place.omit(def.left), right: place.omit(def.right) })
    case 'lazy': {
      const getter = () => place.omitAll((def.getter as () => unknown)())
      return place.begin(schema, copyWith(schema, { getter, _cachedInner: undefined }), getter)
    }
    case 'pipe':
      if (isTransformedBefore(def)) place.refuse('a transformation is followed by another schema')
      return copyWith(schema, { in: place.omit(def.in), out: place.omit(def.out) })
    default:
      return def.innerType === undefined ? schema : copyWith(schema, { innerType: place.omit(def.innerType) })
  }
}

function copyWith(schema: object, changes: object): object {
  const { _zod, clone } = schema as ZodNode
  return clone.call(schema, { ..._zod.def, ...changes })
}

function omitFromObject(schema: object, place: LibraryPlace): object {
  const { _zod, clone } = schema as ZodNode
  const { shape: fields, catchall } = _zod.def
  let kept: object | undefined
  // A getter, since a schema may contain itself.
  const shape = () => {
    kept ??= Object.fromEntries(
      Object.entries(fields as object)
        .filter(([name]) => !place.lacks(name))
        .map(([name, field]) => [name, place.field(name).omit(field)])
    )
    return kept
  }
  const definition = Object.defineProperty({ ..._zod.def }, 'shape', { get: shape, enumerable: true })
  const others = catchall === undefined ? {} : { catchall: place.others.omit(catchall) }
  return place.begin(schema, clone.call(schema, Object.assign(definition, others)), shape)
}

/** Returns whether a schema validates the result of a transformation, not the fields of a body. */
const isTransformedBefore = ({ in: first, out }: Definition): boolean => {
  const { type, out: transformed } = (first as ZodNode)._zod.def
  const isTransform = (schema: unknown) => (schema as ZodNode | undefined)?._zod.def.type === 'transform'
  return type === 'pipe' && isTransform(transformed) && !isTransform(out)
}

// zod validates these with `new URL()`, which accepts more than the pattern in its JSON Schema.
const formatsOfURLs = new Set<unknown>(['ipv6', 'cidrv6'])

function removeOtherPatterns({ zodSchema, jsonSchema }: ZodPart): void {
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

/** Corrects the JSON Schema that zod writes. */
function correct(part: ZodPart): void {
  removeOtherPatterns(part)
  encodeDefault(part)
  // A loose record accepts other names than those of its pattern.
  if (part.zodSchema._zod.def.mode === 'loose') part.jsonSchema.additionalProperties ??= {}
}

/** Describes a result that is `undefined` as `null`, which it is sent as. */
function describeNothing(part: ZodPart): void {
  correct(part)
  const { zodSchema, path, jsonSchema } = part
  if (path.length === 0 && ['undefined', 'void'].includes(zodSchema._zod.def.type)) jsonSchema.type = 'null'
}

/**
 * Adds the `id` of `.meta()`, from which zod has made the name of a definition. Its own names
 * (`__schema0`) don't count.
 */
export function withIdOfZod(document: JsonSchema): JsonSchema {
  const { name = '', rest } = parseDefinitionReference(document.$ref) ?? {}
  return rest !== '' || /^__schema\d/.test(name) ? document : { $id: name, ...document }
}

function convertZod(
  schema: unknown,
  side: Side,
  options: Readonly<Record<string, unknown>>,
  write: (options: Readonly<Record<string, unknown>>) => JsonSchema
): JsonSchema {
  if (side === 'input') return withIdOfZod(write(options))
  const codecs = new ZodCodecs(schema, correct)
  const override = (part: ZodPart) => {
    ;(options.override as typeof correct)(part)
    codecs.describe(part)
  }
  return withIdOfZod(codecs.attachTo(write({ ...options, override })))
}

function markRefused({ zodSchema, jsonSchema }: ZodPart): void {
  const { jsonSchema: json } = zodSchema['~standard']
  if (attempt(() => json?.input({ target: 'draft-07' })) === undefined) jsonSchema[refusedKeyword] = true
}

export const zod: SchemaLibrary = {
  structureOf: zodStructure,
  omit: omitFromZod,
  omitExample: 'Book.omit({ id: true })',
  jsonSchemaOptions: { override: correct },
  undescribedOptions: { unrepresentable: 'any', override: describeNothing },
  markRefused: { unrepresentable: 'any', override: markRefused },
  convert: convertZod
}
