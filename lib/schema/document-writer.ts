import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import type { Bundle } from './bundle.js'
import { codecKeyword } from './codec.js'
import {
  definitionKeywords,
  fieldKeywords,
  flagKeywords,
  isInPlace,
  isSchema,
  mapSubschemas,
  subschemasOf,
  unionKeywords
} from './keywords.js'
import { toFragment } from './pointer.js'
import type { Flag } from './reader.js'
import { flagsBySchema, leastSent } from './schema-flags.js'
import type { Shape, Shapes } from './shape.js'

/** Options of a document. */
interface DocumentPurpose {
  /** Removes fields with this flag. */
  readonly flag: Flag | undefined
  /** Whether the document describes PATCH: no field is required, and none gets a default. */
  readonly isPatch: boolean
}

/** Where a schema applies. */
interface Position {
  readonly isRoot: boolean
  /** Whether it describes the object of a PATCH. */
  readonly isPatch: boolean
}

const inside: Position = { isRoot: false, isPatch: false }

/** Writes a schema for documents. */
export class DocumentWriter {
  readonly #bundle: Bundle
  readonly #purpose: DocumentPurpose
  readonly #flags: ReturnType<typeof flagsBySchema>
  readonly #open: ReadonlySet<JsonSchema>
  readonly #places: ReadonlyMap<SchemaValue, readonly [keyword: string, name: string]>
  readonly #definitions: Record<string, Record<string, SchemaValue>> = {}
  /** The pointers to schemas in the document. */
  readonly #pointers = new Map<JsonSchema, string>()

  constructor(shapes: Shapes, purpose: DocumentPurpose) {
    this.#bundle = shapes.reader.bundle
    this.#purpose = purpose
    this.#flags = flagsBySchema(shapes)
    this.#open = openSchemas(this.#bundle)
    this.#places = new Map(
      definitionKeywords.flatMap((keyword) =>
        Object.entries(this.#bundle.schema[keyword] ?? {}).map(([name, schema]) => [schema, [keyword, name]])
      )
    )
  }

  write(): JsonSchema {
    const { isPatch } = this.#purpose
    const { schema, hasReferences } = this.#bundle
    if (!isPatch && hasReferences) this.#pointers.set(schema, '#')
    const document = this.#toDocument(schema, { isRoot: true, isPatch })
    return { ...document, ...(isPatch && { minProperties: 1 }), ...this.#definitions }
  }

  /** @param position missing in a `not` or `if`, where removing a field would refuse more */
  #toDocument(schema: JsonSchema, position: Position | undefined): Record<string, unknown> {
    const { definitions, $defs, [codecKeyword]: _, ...words } = schema
    const { isRoot, isPatch } = position ?? inside
    const isHidden = (name: string) => this.#isHidden(schema, name)
    const copy: Record<string, unknown> = mapSubschemas(words, (part, keyword, name = '') => {
      if (keyword === 'properties' && position !== undefined && isHidden(name)) return undefined
      if (!isSchema(part)) return part
      if (position === undefined || keyword === 'not' || keyword === 'if') return this.#toDocument(part, undefined)
      if (isInPlace(keyword)) return this.#toDocument(part, { isRoot: false, isPatch })
      const member = this.#toDocument(part, inside)
      if (keyword !== 'properties') return member
      if (isPatch) delete member.default
      return this.#marked(member, schema, name)
    })
    const target = this.#bundle.target(schema)
    if (isSchema(target) && (isRoot || isPatch)) {
      const whole = this.#toDocument(target, { isRoot: isRoot && isOnlyUnionOrReference(schema), isPatch })
      delete copy.$ref
      if (isOnlyUnionOrReference(schema)) return { ...whole, ...copy }
      copy.allOf = [...((copy.allOf ?? []) as SchemaValue[]), whole]
    } else if (isSchema(target)) copy.$ref = this.#refer(target)
    if (position === undefined) return copy
    if (isPatch) demandNothing(copy)
    else this.#demandLess(copy, schema)
    if (!isClosedByDefault(schema)) return copy
    // The body of PATCH may have fields of several branches.
    if (!this.#open.has(schema) && (isRoot || !isPatch)) copy.additionalProperties = false
    // Client generators read an empty `properties` as an object without fields.
    else if (Object.keys(schema.properties as object).length > 0 && Object.keys(copy.properties as object).length === 0)
      delete copy.properties
    return copy
  }

  #isHidden(schema: JsonSchema, name: string): boolean {
    const { flag } = this.#purpose
    return flag !== undefined && this.#flags.get(schema)?.[flag].has(name) === true
  }

  /** Removes hidden fields from `required`, and their number from `minProperties`. */
  #demandLess(copy: Record<string, unknown>, schema: JsonSchema): void {
    const { flag } = this.#purpose
    const hidden = flag && this.#flags.get(schema)?.[flag]
    if (hidden === undefined || hidden.size === 0) return
    const { required, minProperties } = schema
    if (required?.some((name) => hidden.has(name))) copy.required = required.filter((name) => !hidden.has(name))
    if (flag === 'writeOnly') delete copy.minProperties
    else if (typeof minProperties === 'number') copy.minProperties = leastSent(minProperties, hidden.size)
  }

  /** Adds the flags of a field that come from options, or from other schemas. */
  #marked(field: Record<string, unknown>, schema: JsonSchema, name: string): JsonSchema {
    const flags = this.#flags.get(schema)
    const { readOnly, ...settable } = field
    const marks = flagKeywords.filter((flag) => flags?.[flag].has(name)).map((flag) => [flag, true])
    return { ...(flags?.settable.has(name) ? settable : field), ...Object.fromEntries(marks) }
  }

  /** Returns the pointer to a schema in the document. */
  #refer(target: JsonSchema): string {
    const ready = this.#pointers.get(target)
    if (ready !== undefined) return ready
    const [keyword, name] = this.#places.get(target) ?? this.#freePlace(this.#bundle.pointers.get(target))
    const definitions = this.#definitions[keyword] ?? {}
    this.#definitions[keyword] = definitions
    const pointer = `#${toFragment([keyword, name])}`
    this.#pointers.set(target, pointer)
    // Takes the name before the definition is written, since it may refer to itself.
    definitions[name] = true
    definitions[name] = this.#toDocument(target, inside)
    return pointer
  }

  #freePlace(pointer: string | undefined): readonly [keyword: string, name: string] {
    const base = lastNameOf(pointer)
    const taken = { ...this.#bundle.schema.$defs, ...this.#definitions.$defs }
    let name = base
    for (let number = 2; Object.hasOwn(taken, name); number++) name = `${base}${number}`
    return ['$defs', name]
  }
}

/** Returns the last name in a pointer or a URI. */
const lastNameOf = (pointer = ''): string =>
  pointer
    .split(/[/#]/)
    .findLast((key) => /[a-z]/i.test(key))
    ?.replace(/[^\w.-]/g, '_') ?? 'record'

/** Removes what PATCH does not require. A body may then belong to several branches of a union. */
function demandNothing(copy: Record<string, unknown>): void {
  const { allOf, anyOf, oneOf } = copy
  delete copy.required
  delete copy.minProperties
  delete copy.maxProperties
  delete copy.oneOf
  if (anyOf !== undefined && oneOf !== undefined) copy.allOf = [...((allOf ?? []) as SchemaValue[]), { anyOf: oneOf }]
  else if (oneOf !== undefined) copy.anyOf = oneOf
}

/**
 * Returns the schemas that must accept further fields: those that apply beside others, and all in a
 * `not` or `if`.
 */
function openSchemas(bundle: Bundle): ReadonlySet<JsonSchema> {
  const parts = new Set<JsonSchema>()
  const add = (part: SchemaValue | undefined) => {
    if (!isSchema(part) || parts.has(part)) return
    parts.add(part)
    subschemasInPlace(part, bundle).forEach(add)
  }
  for (const schema of bundle.pointers.keys()) {
    if (!isOnlyUnionOrReference(schema)) subschemasInPlace(schema, bundle).forEach(add)
    for (const part of [schema.not, schema.if].filter(isSchema))
      for (const inner of bundle.placesFrom(part, '').keys()) parts.add(inner)
  }
  return parts
}

const subschemasInPlace = (schema: JsonSchema, bundle: Bundle): readonly (SchemaValue | undefined)[] => [
  bundle.target(schema),
  ...[...subschemasOf(schema)].flatMap(([part, [keyword = '']]) => (isInPlace(keyword) ? [part] : []))
]

/** Returns whether a schema describes fields by one union or reference only, or not at all. */
function isOnlyUnionOrReference(schema: JsonSchema): boolean {
  const [first = '$ref', ...others] = fieldKeywords.filter((keyword) => schema[keyword] !== undefined)
  return others.length === 0 && (first === '$ref' || unionKeywords.some((keyword) => keyword === first))
}

const isClosedByDefault = (schema: JsonSchema) =>
  schema.properties !== undefined &&
  schema.patternProperties === undefined &&
  schema.additionalProperties === undefined &&
  schema.unevaluatedProperties === undefined &&
  !Object.keys(schema).some(isInPlace) &&
  schema.$ref === undefined

/** Returns the schema of a scalar without references. */
export function scalarDocument(shape: Shape): JsonSchema {
  const { bundle } = shape.shapes.reader
  const inline = (schema: SchemaValue, depth = 0): SchemaValue => {
    if (!isSchema(schema) || depth > 9) return schema
    const { default: _, readOnly, writeOnly, $ref, definitions, $defs, [codecKeyword]: codec, ...rest } = schema
    const target = bundle.target(schema)
    const inlined = mapSubschemas(rest, (part) => inline(part, depth + 1))
    return typeWithNull(isSchema(target) ? { ...(inline(target, depth + 1) as JsonSchema), ...inlined } : inlined)
  }
  // Without schemas that may not apply.
  const isCertain = (schema: SchemaValue) => schema !== true && !(isSchema(schema) && schema.anyOf?.includes(true))
  const schemas = shape.schemas.map((schema) => inline(schema)).filter(isCertain)
  const [only = {}] = schemas
  return schemas.length < 2 && isSchema(only) ? only : { allOf: schemas }
}

/** Writes a union of a scalar and `null` as one schema with two types. */
function typeWithNull(schema: JsonSchema): JsonSchema {
  const { anyOf = [], ...rest } = schema
  const isNull = (branch: SchemaValue) => isSchema(branch) && branch.type === 'null'
  const [scalar, ...others] = anyOf.filter((branch) => !isNull(branch))
  const isPlain = isSchema(scalar) && typeof scalar.type === 'string' && scalar.const === undefined
  if (!isPlain || others.length > 0 || !anyOf.some(isNull)) return schema
  return {
    ...scalar,
    ...rest,
    type: [scalar.type as string, 'null'],
    ...(scalar.enum && { enum: [...scalar.enum, null] })
  }
}
