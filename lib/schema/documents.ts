import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { Bundle } from './bundle.js'
import { type FlaggedNames, type FlaggedObject, isFlaggedByName } from './flagged-names.js'
import { fieldKeywords, isInPlace, isSchema, mapSubschemas, subschemasOf, unionKeywords } from './keywords.js'
import { type Flag, SchemaReader } from './reader.js'
import { type Shape, Shapes } from './shape.js'

/** The schemas of `app.addSchema`, by their ids; `undefined` before the application has them all. */
export type SharedSchemas = Readonly<Record<string, unknown>> | undefined

/** What options say of a schema. */
export interface SchemaOptions {
  /** A function where the names follow from another schema, which may refer to shared ones. */
  readonly flagged: FlaggedNames | ((shared: SharedSchemas) => FlaggedNames)
  /** Whether the schema says what is sent, so that flags in it say nothing. */
  readonly ignoresFlags?: boolean
  /** The names of the fields of a record, where the schema is another one: in it an object with all of them is the record. */
  readonly recordNames?: readonly string[]
}

/** For options that flag no field. */
export const noNames: FlaggedNames = { readOnly: new Set(), writeOnly: new Set() }

/** A schema as the application has written it, with the options for it. */
export class WrittenSchema {
  readonly #options: SchemaOptions
  #shapes: Shapes | undefined

  constructor(
    readonly document: JsonSchema,
    options: SchemaOptions
  ) {
    this.#options = options
  }

  /** The shapes of the places of a value. A reference to another document lets any value pass. @throws {TypeError} as `Bundle` does */
  get shapes(): Shapes {
    this.#shapes ??= this.#toShapes(new Bundle(this.document), undefined)
    return this.#shapes
  }

  /**
   * The same with the schemas of `app.addSchema`.
   * @throws {TypeError} also when a reference leads to no schema
   */
  shapesWith(shared: SharedSchemas): Shapes {
    const isWhole = this.shapes.reader.bundle.missing.length === 0
    if (shared === undefined || (isWhole && typeof this.#options.flagged !== 'function')) return this.shapes
    const bundle = new Bundle(this.document, shared)
    const [missing] = bundle.missing
    if (missing !== undefined) throw new TypeError(`The reference '${missing}' leads to no schema`)
    return this.#toShapes(bundle, shared)
  }

  /** The same options with another schema. */
  withDocument(document: JsonSchema): WrittenSchema {
    return new WrittenSchema(document, this.#options)
  }

  #toShapes(bundle: Bundle, shared: SharedSchemas): Shapes {
    const { flagged, ignoresFlags, recordNames } = this.#options
    const names = typeof flagged === 'function' ? flagged(shared) : flagged
    return new Shapes(new SchemaReader(bundle), names, ignoresFlags, recordNames)
  }

  /**
   * The schema that documents show: without the fields that have a flag, and with objects closed unless they say otherwise.
   *
   * @param isPart whether it is that of a part of a record, which must have no field, and gets no default
   */
  documentWithout(flag: Flag | undefined, isPart = false): JsonSchema {
    const { reader } = this.shapes
    const { bundle } = reader
    const intersected = partsBesideOthers(bundle)
    const flagsOf = (field: SchemaValue, name: string, place: FlaggedObject) => ({
      readOnly: this.#isFlagged('readOnly', field, name, place),
      writeOnly: this.#isFlagged('writeOnly', field, name, place)
    })
    const toDocument = (schema: SchemaValue, root?: SchemaValue): SchemaValue => {
      if (!isSchema(schema)) return schema
      const isRoot = root !== undefined
      const isRecord = schema === root || this.shapes.isRecord(schema)
      const place = { isRecord, names: Object.keys(schema.properties ?? {}) }
      const fields = Object.entries(schema.properties ?? {})
      const flags = new Map(fields.map(([name, field]) => [name, flagsOf(field, name, place)]))
      const isHidden = (name: string) => flag !== undefined && flags.get(name)?.[flag] === true
      const copy: Record<string, unknown> = mapSubschemas(schema, (part, keyword, name = '') => {
        // A schema under `not` stays as it is: without a field it would refuse more.
        if (keyword === 'not') return part
        if (keyword !== 'properties') return toDocument(part, isRoot && isInPlace(keyword) ? part : undefined)
        const field = toDocument(isRoot && isPart ? withoutDefault(part) : part)
        return isHidden(name) ? undefined : marked(field, flags.get(name))
      })
      if (isRoot && isPart) demandNothing(copy)
      else if (schema.required?.some(isHidden)) copy.required = schema.required.filter((name) => !isHidden(name))
      if (!isClosedByDefault(schema)) return copy
      // A part of a record may have fields of several branches.
      const isBranchOfPart = isPart && isRoot && schema !== whole
      if (!intersected.has(schema) && !isBranchOfPart) copy.additionalProperties = false
      // Generators of clients take an object with an empty list of fields for one that can have none.
      else if (fields.length > 0 && fields.every(([name]) => isHidden(name))) delete copy.properties
      return copy
    }
    const target = bundle.target(bundle.schema)
    const { $ref, ...root } = bundle.schema
    // A root that is only a reference to a definition is replaced by that definition.
    const withTarget = (of: JsonSchema): JsonSchema =>
      isUnionAlone(bundle.schema) ? { ...of, ...root } : { ...root, allOf: [...(root.allOf ?? []), of] }
    const whole = isSchema(target) ? withTarget(target) : bundle.schema
    const document = toDocument(whole, whole) as JsonSchema
    return isPart ? { ...document, minProperties: 1 } : document
  }

  #isFlagged(flag: Flag, field: SchemaValue, name: string, place: FlaggedObject): boolean {
    const { ignoresFlags } = this.#options
    return (
      isFlaggedByName(flag, name, place, this.shapes) || (!ignoresFlags && this.shapes.reader.isFlagged(field, flag))
    )
  }
}

/** A field with the flags that it has by options, or by what it refers to. */
function marked(field: SchemaValue, flags: Partial<Record<Flag, boolean>> = {}): SchemaValue {
  if (!isSchema(field)) return field
  return { ...field, ...(flags.readOnly && { readOnly: true }), ...(flags.writeOnly && { writeOnly: true }) }
}

/** Takes out of the schema of a record what a part of one need not have. Without it the part may be of several branches of a union. */
function demandNothing(copy: Record<string, unknown>): void {
  const { allOf, anyOf, oneOf } = copy
  delete copy.required
  delete copy.oneOf
  if (anyOf !== undefined && oneOf !== undefined) copy.allOf = [...((allOf ?? []) as SchemaValue[]), { anyOf: oneOf }]
  else if (oneOf !== undefined) copy.anyOf = oneOf
}

const withoutDefault = (schema: SchemaValue): SchemaValue => {
  if (!isSchema(schema)) return schema
  const { default: _, ...rest } = schema
  return rest
}

/** Schemas that stand beside others which speak of names: each of them must let the fields of the others pass. */
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

/** Whether no more than one keyword of a schema speaks of names, and one value is held to no more than one of its parts. */
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

/** The schema of a place without references, for values that hold no others. */
export function scalarDocument(shape: Shape): JsonSchema {
  const { bundle } = shape.shapes.reader
  const inline = (schema: SchemaValue, depth = 0): SchemaValue => {
    if (!isSchema(schema) || depth > 9) return schema
    const { default: _, readOnly, writeOnly, $ref, definitions, $defs, ...rest } = schema
    const target = bundle.target(schema)
    const inlined = mapSubschemas(rest, (part) => inline(part, depth + 1))
    return typeWithNull(isSchema(target) ? { ...(inline(target, depth + 1) as JsonSchema), ...inlined } : inlined)
  }
  // A schema that may not apply is left out.
  const isSure = (schema: SchemaValue) => schema !== true && !(isSchema(schema) && schema.anyOf?.includes(true))
  const schemas = shape.schemas.map((schema) => inline(schema)).filter(isSure)
  const [only = {}] = schemas
  return schemas.length < 2 && isSchema(only) ? only : { allOf: schemas }
}

/** Writes a union of a scalar and `null` as one schema with two types, as is usual for a field. */
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
