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

/** What a document is made for. */
export interface DocumentPurpose {
  /** Fields with this flag are left out. */
  readonly flag: Flag | undefined
  /**
   * Whether the document is that of a part of a record, which must have no field, and gets no
   * default.
   */
  readonly isPart: boolean
}

/** What a schema is at its place of a value. The same definition may be another one at each. */
interface Role {
  /**
   * All that is said of the place. Without it a schema stays as it is: under `not` it would refuse
   * more without a field.
   */
  readonly place: Shape | undefined
  /**
   * What the place begins with: an object of its own for each visit, since a schema may hold
   * itself.
   */
  readonly start: { readonly schema?: JsonSchema }
  readonly flag: Flag | undefined
  readonly isRoot: boolean
  /** The fields that choose the branches of unions around. Their defaults have no effect. */
  readonly discriminators: readonly string[]
}

type Refer = (schema: JsonSchema, target: JsonSchema, role: Role) => string

const asItIs: Role = { place: undefined, start: {}, flag: undefined, isRoot: false, discriminators: [] }

/**
 * Writes the document of a schema: each reference leads to a definition as it is at the place of
 * that reference.
 */
export class DocumentWriter {
  readonly #shapes: Shapes
  readonly #bundle: Bundle
  readonly #purpose: DocumentPurpose
  readonly #intersected: ReadonlySet<JsonSchema>
  readonly #document: JsonSchema
  readonly #places: ReadonlyMap<SchemaValue, readonly [keyword: string, name: string]>
  readonly #definitions: Record<string, Record<string, SchemaValue>> = {}
  /** Where each version of a schema stands in the document. */
  readonly #pointers = new Map<string, string>()
  readonly #versions = new Map<string, number>()
  readonly #numbers = new Map<unknown, number>()

  constructor(shapes: Shapes, purpose: DocumentPurpose) {
    this.#shapes = shapes
    this.#bundle = shapes.reader.bundle
    this.#purpose = purpose
    this.#intersected = partsBesideOthers(this.#bundle)
    this.#document = this.#wholeOf(this.#bundle.schema)
    this.#places = new Map(
      definitionKeywords.flatMap((keyword) =>
        Object.entries(this.#bundle.schema[keyword] ?? {}).map(([name, schema]) => [schema, [keyword, name]])
      )
    )
  }

  write(): JsonSchema {
    const { isPart, flag } = this.#purpose
    const { schema } = this.#bundle
    const role: Role = { place: this.#shapes.root, start: { schema }, flag, isRoot: true, discriminators: [] }
    if (!isPart && this.#bundle.hasReferences) this.#pointers.set(this.#keyOf(schema, this.#roleOf(schema)), '#')
    const document = this.#toDocument(this.#document, role, this.#refer) as JsonSchema
    return { ...document, ...(isPart && { minProperties: 1 }), ...this.#definitions }
  }

  /** A root that is only a reference to a definition is replaced by that definition. */
  #wholeOf(schema: JsonSchema): JsonSchema {
    const target = this.#bundle.target(schema)
    if (!isSchema(target)) return schema
    const { $ref, ...rest } = schema
    return isUnionAlone(schema)
      ? { ...this.#wholeOf(target), ...rest }
      : { ...rest, allOf: [...(rest.allOf ?? []), target] }
  }

  /** The role of a schema that a place begins with. */
  #roleOf(entry: SchemaValue, flag = this.#purpose.flag): Role {
    return isSchema(entry)
      ? { place: this.#shapes.of([entry]), start: { schema: entry }, flag, isRoot: false, discriminators: [] }
      : asItIs
  }

  #toDocument(schema: SchemaValue, role: Role, refer: Refer): SchemaValue {
    if (!isSchema(schema)) return schema
    const { place, flag, isRoot, discriminators } = role
    const isPart = isRoot && this.#purpose.isPart
    const { definitions, $defs, [codecKeyword]: _, ...words } = schema
    const copy: Record<string, unknown> = mapSubschemas(words, (part, keyword, name = '') => {
      if (place === undefined || keyword === 'not' || keyword === 'if') return this.#toDocument(part, asItIs, refer)
      if (isInPlace(keyword)) return this.#toDocument(part, this.#roleIn(schema, keyword, name, role), refer)
      const member = this.#toDocument(part, this.#roleOf(part, flag), refer)
      if (keyword !== 'properties') return member
      if (isFlagged(place, name, flag)) return undefined
      return marked(isPart || discriminators.includes(name) ? withoutDefault(member) : member, place, name)
    })
    const target = this.#bundle.target(schema)
    if (isSchema(target)) copy.$ref = refer(schema, target, role)
    if (place === undefined) return copy
    // A name may stand apart from its field, or be hidden by a branch alone.
    const whole = place.narrow({})
    const isHidden = (name: string) => isFlagged(whole, name, flag)
    if (isPart) demandNothing(copy)
    else if (schema.required?.some(isHidden)) copy.required = schema.required.filter((name) => !isHidden(name))
    // What is left out counts, too.
    const hidden = whole.names.filter(isHidden).length
    if (hidden > 0 && typeof copy.minProperties === 'number') {
      if (flag === 'readOnly') copy.minProperties = leastSent(copy.minProperties, hidden)
      else delete copy.minProperties
    }
    if (!isClosedByDefault(schema)) return copy
    // A part of a record may have fields of several branches.
    const isBranchOfPart = isPart && schema !== this.#document
    const names = Object.keys(schema.properties as object)
    if (!this.#intersected.has(schema) && !isBranchOfPart) copy.additionalProperties = false
    // Generators of clients take an object with an empty list of fields for one that can have none.
    else if (names.length > 0 && names.every((name) => isFlagged(place, name, flag))) delete copy.properties
    return copy
  }

  /**
   * The role of a part at the same place: of a union with a discriminator it is the branch that the discriminator
   * chooses.
   */
  #roleIn(schema: JsonSchema, keyword: string, name: string, role: Role): Role {
    const branches = unionKeywords.some((union) => union === keyword) ? (schema[keyword] as SchemaValue[]) : []
    const union = this.#shapes.reader.discriminatedUnion(branches)
    if (union === undefined) return role
    const place = (role.place as Shape).choose([branches, Number(name)])
    return { ...role, place, discriminators: [...role.discriminators, union.discriminator] }
  }

  /** The pointer to the version of a schema that a reference means. */
  readonly #refer: Refer = (schema, target, role) => {
    const written = this.#bundle.written(schema)
    const isAlone = schema === role.start.schema && !role.isRoot && isUnionAlone(schema)
    const version = isAlone ? this.#roleOf(target, role.flag) : role
    const key = this.#keyOf(target, version)
    // A schema of the application of which nothing is left out has a place in documents itself.
    const isWhole = role.place === undefined || key === this.#keyOf(target, this.#roleOf(target, undefined))
    if (written !== undefined && isWhole) return written
    const ready = this.#pointers.get(key)
    if (ready !== undefined) return ready
    const [keyword, name] = this.#freePlace(target, written)
    const definitions = this.#definitions[keyword] ?? {}
    this.#definitions[keyword] = definitions
    const pointer = `#${toFragment([keyword, name])}`
    this.#pointers.set(key, pointer)
    // A definition may refer to itself: its name is taken before it is written.
    definitions[name] = true
    definitions[name] = this.#toDocument(target, version, this.#refer)
    return pointer
  }

  /** A definition keeps its place for the first of its versions. */
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

  /**
   * What tells a version of a schema from others: one that comes out the same in several roles is
   * one.
   */
  #keyOf(target: JsonSchema, role: Role): string {
    const { place, flag, isRoot, discriminators } = role
    const number = this.#numberOf(target)
    if (place === undefined) return `${number} asItIs`
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

/** The last name in a pointer or an address. */
const lastNameOf = (pointer = ''): string =>
  pointer
    .split(/[/#]/)
    .findLast((key) => /[a-z]/i.test(key))
    ?.replace(/[^\w.-]/g, '_') ?? 'record'

/** Whether a field is flagged, in any branch of what stands there. */
function isFlagged(place: Shape, name: string, flag: Flag | undefined): boolean {
  if (flag === undefined) return false
  const field = place.field(name)
  if (flag === 'readOnly' && field.isSettable) return false
  return field[flag] || field.shape.mayHave(flag)
}

/** A field with the flags that it has by options, or by what it refers to. */
function marked(field: SchemaValue, place: Shape, name: string): SchemaValue {
  if (!isSchema(field)) return field
  const flags = flagKeywords.filter((flag) => isFlagged(place, name, flag))
  const { readOnly, ...settable } = field
  const marks = Object.fromEntries(flags.map((flag) => [flag, true]))
  return { ...(place.field(name).isSettable ? settable : field), ...marks }
}

/**
 * Takes out of the schema of a record what a part of one need not have. Without it the part may be
 * of several branches of a union.
 */
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

/**
 * Schemas that stand beside others which speak of names: each of them must let the fields of the
 * others pass.
 */
function partsBesideOthers(bundle: Bundle): ReadonlySet<JsonSchema> {
  const parts = new Set<JsonSchema>()
  const add = (part: SchemaValue | undefined) => {
    if (!isSchema(part) || parts.has(part)) return
    parts.add(part)
    inPlaceParts(part, bundle).forEach(add)
  }
  for (const schema of bundle.pointers.keys()) if (!isUnionAlone(schema)) inPlaceParts(schema, bundle).forEach(add)
  return parts
}

const inPlaceParts = (schema: JsonSchema, bundle: Bundle): readonly (SchemaValue | undefined)[] => [
  bundle.target(schema),
  ...[...subschemasOf(schema)].flatMap(([part, [keyword = '']]) => (isInPlace(keyword) ? [part] : []))
]

/**
 * Whether no more than one keyword of a schema speaks of names, and one value is held to no more
 * than one of its parts.
 */
function isUnionAlone(schema: JsonSchema): boolean {
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
