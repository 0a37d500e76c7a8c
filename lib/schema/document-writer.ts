import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { leastSent } from './body-names.js'
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
import type { Shape, Shapes } from './shape.js'

/** Options of a document. */
interface DocumentPurpose {
  /** Removes fields with this flag. */
  readonly flag: Flag | undefined
  /** Whether the document describes PATCH: no field is required, and none gets a default. */
  readonly isPatch: boolean
}

/** Where a schema applies. One definition may be written differently for each role. */
interface Role {
  /** The shape there. Without one, the schema is copied unchanged: under `not`, removing a field
   * would refuse more. */
  readonly place: Shape | undefined
  /**
   * The schema that the place begins with. It is a new object per visit: schemas may be recursive.
   */
  readonly start: { readonly schema?: JsonSchema }
  readonly flag: Flag | undefined
  readonly isRoot: boolean
  /** The discriminators of the unions around it, whose defaults have no effect. */
  readonly discriminators: readonly string[]
}

type Refer = (schema: JsonSchema, target: JsonSchema, role: Role) => string

const unchangedRole: Role = { place: undefined, start: {}, flag: undefined, isRoot: false, discriminators: [] }

/**
 * Writes a schema for documents. A definition that differs between its places, because flags or
 * discriminators differ, is written once per version.
 */
export class DocumentWriter {
  readonly #shapes: Shapes
  readonly #bundle: Bundle
  readonly #purpose: DocumentPurpose
  readonly #intersected: ReadonlySet<JsonSchema>
  readonly #document: JsonSchema
  readonly #places: ReadonlyMap<SchemaValue, readonly [keyword: string, name: string]>
  readonly #definitions: Record<string, Record<string, SchemaValue>> = {}
  /** The pointer to each version of a schema in the document. */
  readonly #pointers = new Map<string, string>()
  readonly #versions = new Map<string, number>()
  readonly #numbers = new Map<unknown, number>()

  constructor(shapes: Shapes, purpose: DocumentPurpose) {
    this.#shapes = shapes
    this.#bundle = shapes.reader.bundle
    this.#purpose = purpose
    this.#intersected = besideOthers(this.#bundle)
    this.#document = this.#wholeOf(this.#bundle.schema)
    this.#places = new Map(
      definitionKeywords.flatMap((keyword) =>
        Object.entries(this.#bundle.schema[keyword] ?? {}).map(([name, schema]) => [schema, [keyword, name]])
      )
    )
  }

  write(): JsonSchema {
    const { isPatch, flag } = this.#purpose
    const { schema } = this.#bundle
    const role: Role = { place: this.#shapes.root, start: { schema }, flag, isRoot: true, discriminators: [] }
    if (!isPatch && this.#bundle.hasReferences) this.#pointers.set(this.#keyOf(schema, this.#roleOf(schema)), '#')
    const document = this.#toDocument(this.#document, role, this.#refer) as JsonSchema
    return { ...document, ...(isPatch && { minProperties: 1 }), ...this.#definitions }
  }

  /** A root that is only a reference to a definition is replaced by that definition. */
  #wholeOf(schema: JsonSchema): JsonSchema {
    const target = this.#bundle.target(schema)
    if (!isSchema(target)) return schema
    const { $ref, ...rest } = schema
    return isOnlyUnionOrReference(schema)
      ? { ...this.#wholeOf(target), ...rest }
      : { ...rest, allOf: [...(rest.allOf ?? []), target] }
  }

  /** Returns the role of a schema that a place begins with. */
  #roleOf(entry: SchemaValue, flag = this.#purpose.flag): Role {
    return isSchema(entry)
      ? { place: this.#shapes.of([entry]), start: { schema: entry }, flag, isRoot: false, discriminators: [] }
      : unchangedRole
  }

  #toDocument(schema: SchemaValue, role: Role, refer: Refer): SchemaValue {
    if (!isSchema(schema)) return schema
    const { place, flag, isRoot, discriminators } = role
    const isPatch = isRoot && this.#purpose.isPatch
    const { definitions, $defs, [codecKeyword]: _, ...words } = schema
    const copy: Record<string, unknown> = mapSubschemas(words, (part, keyword, name = '') => {
      if (place === undefined || keyword === 'not' || keyword === 'if')
        return this.#toDocument(part, unchangedRole, refer)
      if (isInPlace(keyword)) return this.#toDocument(part, this.#roleIn(schema, keyword, name, role), refer)
      const member = this.#toDocument(part, this.#roleOf(part, flag), refer)
      if (keyword !== 'properties') return member
      if (isFlagged(place, name, flag)) return undefined
      return marked(isPatch || discriminators.includes(name) ? withoutDefault(member) : member, place, name)
    })
    const target = this.#bundle.target(schema)
    if (isSchema(target)) copy.$ref = refer(schema, target, role)
    if (place === undefined) return copy
    // `required` may name fields of another schema, and a field may be hidden by one branch only.
    const whole = place.narrow({})
    const isHidden = (name: string) => isFlagged(whole, name, flag)
    if (isPatch) demandNothing(copy)
    else if (schema.required?.some(isHidden)) copy.required = schema.required.filter((name) => !isHidden(name))
    // Removed fields count, too.
    const hidden = whole.names.filter(isHidden).length
    if (hidden > 0 && typeof copy.minProperties === 'number') {
      if (flag === 'readOnly') copy.minProperties = leastSent(copy.minProperties, hidden)
      else delete copy.minProperties
    }
    if (!isClosedByDefault(schema)) return copy
    // The body of PATCH may have fields of several branches.
    const isBranchOfPatch = isPatch && schema !== this.#document
    const names = Object.keys(schema.properties as object)
    if (!this.#intersected.has(schema) && !isBranchOfPatch) copy.additionalProperties = false
    // Client generators read an empty `properties` as an object without fields.
    else if (names.length > 0 && names.every((name) => isFlagged(place, name, flag))) delete copy.properties
    return copy
  }

  /**
   * Returns the role of a subschema at the same place. Within a discriminated union, its branch is
   * chosen.
   */
  #roleIn(schema: JsonSchema, keyword: string, name: string, role: Role): Role {
    const branches = unionKeywords.some((union) => union === keyword) ? (schema[keyword] as SchemaValue[]) : []
    const union = this.#shapes.reader.discriminatedUnion(branches)
    if (union === undefined) return role
    const place = (role.place as Shape).choose([branches, Number(name)])
    return { ...role, place, discriminators: [...role.discriminators, union.discriminator] }
  }

  /** Returns the pointer to the version of a schema that a reference needs. */
  readonly #refer: Refer = (schema, target, role) => {
    const written = this.#bundle.written(schema)
    const isAlone = schema === role.start.schema && !role.isRoot && isOnlyUnionOrReference(schema)
    const version = isAlone ? this.#roleOf(target, role.flag) : role
    const key = this.#keyOf(target, version)
    // A shared schema without changes has its own place in documents.
    const isWhole = role.place === undefined || key === this.#keyOf(target, this.#roleOf(target, undefined))
    if (written !== undefined && isWhole) return written
    const ready = this.#pointers.get(key)
    if (ready !== undefined) return ready
    const [keyword, name] = this.#freePlace(target, written)
    const definitions = this.#definitions[keyword] ?? {}
    this.#definitions[keyword] = definitions
    const pointer = `#${toFragment([keyword, name])}`
    this.#pointers.set(key, pointer)
    // Takes the name before the definition is written, since it may refer to itself.
    definitions[name] = true
    definitions[name] = this.#toDocument(target, version, this.#refer)
    return pointer
  }

  /** Returns a free name. The first version of a definition keeps its own. */
  #freePlace(target: JsonSchema, written: string | undefined): readonly [keyword: string, name: string] {
    const [keyword, base] = this.#places.get(target) ?? [
      '$defs',
      lastNameOf(written ?? this.#bundle.pointers.get(target))
    ]
    const isTaken = (name: string) => Object.hasOwn(this.#definitions[keyword] ?? {}, name)
    const isOfSchema = (name: string) => Object.hasOwn(this.#bundle.schema[keyword] ?? {}, name)
    const isOwn = this.#places.has(target) && !isTaken(base)
    let name = base
    for (let number = 2; !isOwn && (isTaken(name) || isOfSchema(name)); number++) name = `${base}${number}`
    return [keyword, name]
  }

  /** Returns a key that is equal for roles in which a schema is written in the same way. */
  #keyOf(target: JsonSchema, role: Role): string {
    const { place, flag, isRoot, discriminators } = role
    const number = this.#numberOf(target)
    if (place === undefined) return `${number} unchanged`
    const key = [number, this.#numberOf(place), flag, isRoot, ...discriminators].join(' ')
    const version = this.#versions.get(key)
    if (version !== undefined) return `${number} ${version}`
    const text = JSON.stringify(
      this.#toDocument(target, role, (_schema, inner, innerRole) =>
        innerRole.start === role.start ? this.#keyOf(inner, innerRole) : `${this.#numberOf(inner)}`
      )
    )
    const textNumber = this.#numberOf(text)
    this.#versions.set(key, textNumber)
    return `${number} ${textNumber}`
  }

  #numberOf(value: unknown): number {
    const number = this.#numbers.get(value) ?? this.#numbers.size
    this.#numbers.set(value, number)
    return number
  }
}

/** Returns the last name in a pointer or a URI. */
const lastNameOf = (pointer = ''): string =>
  pointer
    .split(/[/#]/)
    .findLast((key) => /[a-z]/i.test(key))
    ?.replace(/[^\w.-]/g, '_') ?? 'record'

/** Returns whether a field is flagged, in any of its branches. */
function isFlagged(place: Shape, name: string, flag: Flag | undefined): boolean {
  if (flag === undefined) return false
  const field = place.field(name)
  if (flag === 'readOnly' && field.isSettable) return false
  return field[flag] || field.shape.mayHave(flag)
}

/** Returns a field with the flags that come from options or from its reference. */
function marked(field: SchemaValue, place: Shape, name: string): SchemaValue {
  if (!isSchema(field)) return field
  const flags = flagKeywords.filter((flag) => isFlagged(place, name, flag))
  const { readOnly, ...settable } = field
  const marks = Object.fromEntries(flags.map((flag) => [flag, true]))
  return { ...(place.field(name).isSettable ? settable : field), ...marks }
}

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

const withoutDefault = (schema: SchemaValue): SchemaValue => {
  if (!isSchema(schema)) return schema
  const { default: _, ...rest } = schema
  return rest
}

/** Returns the schemas that apply beside others: each must accept the fields of the others. */
function besideOthers(bundle: Bundle): ReadonlySet<JsonSchema> {
  const parts = new Set<JsonSchema>()
  const add = (part: SchemaValue | undefined) => {
    if (!isSchema(part) || parts.has(part)) return
    parts.add(part)
    subschemasInPlace(part, bundle).forEach(add)
  }
  for (const schema of bundle.pointers.keys())
    if (!isOnlyUnionOrReference(schema)) subschemasInPlace(schema, bundle).forEach(add)
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
