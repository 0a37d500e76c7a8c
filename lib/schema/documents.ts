import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { Bundle } from './bundle.js'
import { codecKeyword } from './codec.js'
import { DocumentWriter } from './document-writer.js'
import type { FlaggedNames } from './flagged-names.js'
import { isSchema, mapSubschemas } from './keywords.js'
import { type Flag, SchemaReader } from './reader.js'
import { type Shape, Shapes } from './shape.js'

/**
 * The schemas of `app.addSchema`, by their ids; `undefined` before the application has them all.
 */
export type SharedSchemas = Readonly<Record<string, unknown>> | undefined

/** What options say of a schema. */
export interface SchemaOptions {
  /** A function where the names follow from another schema, which may refer to shared ones. */
  readonly flagged: FlaggedNames | ((shared: SharedSchemas) => FlaggedNames)
  /** Whether the schema says what is sent, so that flags in it say nothing. */
  readonly ignoresFlags?: boolean
  /**
   * The names of the fields of a record, where the schema is another one: in it an object with all
   * of them is the record.
   */
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

  /**
   * The shapes of the places of a value. A reference to another document lets any value pass.
   * @throws {TypeError} as `Bundle` does
   */
  get shapes(): Shapes {
    this.#shapes ??= this.#toShapes(new Bundle(this.document), undefined)
    return this.#shapes
  }

  /**
   * The same with the schemas of `app.addSchema`.
   * @throws {TypeError} also when a reference leads to no schema
   */
  shapesWith(shared: SharedSchemas): Shapes {
    if (shared === undefined || this.isWhole) return this.shapes
    const bundle = new Bundle(this.document, shared)
    const [missing] = bundle.missing
    if (missing !== undefined) throw new TypeError(`The reference '${missing}' leads to no schema`)
    return this.#toShapes(bundle, shared)
  }

  /** Whether the schemas of `app.addSchema` have no part in it. */
  get isWhole(): boolean {
    return this.shapes.reader.bundle.missing.length === 0 && typeof this.#options.flagged !== 'function'
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
   * The schema that documents show: without the fields that have a flag, and with objects closed
   * unless they say otherwise.
   *
   * @param isPart whether it is that of a part of a record, which must have no field, and gets no
   * default
   * @param shared the schemas of `app.addSchema`. Without them a reference to one stays as it is
   */
  documentWithout(flag: Flag | undefined, isPart = false, shared?: SharedSchemas): JsonSchema {
    return new DocumentWriter(this.shapesWith(shared), { flag, isPart }).write()
  }
}

/** The schema of a place without references, for values that hold no others. */
export function scalarDocument(shape: Shape): JsonSchema {
  const { bundle } = shape.shapes.reader
  const inline = (schema: SchemaValue, depth = 0): SchemaValue => {
    if (!isSchema(schema) || depth > 9) return schema
    const { default: _, readOnly, writeOnly, $ref, definitions, $defs, [codecKeyword]: codec, ...rest } = schema
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

/** What is used of an instance of Fastify: the schemas that it shares. */
interface SharingInstance {
  getSchemas(): SharedSchemas
}

const shapesByInstance = new WeakMap<SharingInstance, WeakMap<WrittenSchema, Shapes>>()

/** What a schema says together with those that an instance shares. */
export function shapesOf(written: WrittenSchema, instance: SharingInstance): Shapes {
  const ofInstance = shapesByInstance.get(instance) ?? new WeakMap<WrittenSchema, Shapes>()
  shapesByInstance.set(instance, ofInstance)
  const shapes = ofInstance.get(written) ?? written.shapesWith(instance.getSchemas())
  ofInstance.set(written, shapes)
  return shapes
}
