import type { JsonSchema } from '../../types/standard-schema.js'
import { Bundle } from './bundle.js'
import { DocumentWriter } from './document-writer.js'
import type { FlaggedNames } from './flagged-names.js'
import { type Flag, SchemaReader } from './reader.js'
import { Shapes } from './shape.js'

/** The schemas of `app.addSchema` by their ids; `undefined` before they are all known. */
export type SharedSchemas = Readonly<Record<string, unknown>> | undefined

/** An instance of Fastify, which has shared schemas. */
interface SharingInstance {
  getSchemas(): SharedSchemas
}

export interface SchemaOptions {
  /** The fields that options flag. A function if they follow from a schema with shared schemas. */
  readonly flagged: FlaggedNames | ((shared: SharedSchemas) => FlaggedNames)
  /** Whether flags in the schema itself don't count. */
  readonly ignoresFlags?: boolean
  /** The names of the record's fields, if the schema describes something else. */
  readonly recordNames?: readonly string[]
}

/** A schema as the application has written it, with the options that apply to it. */
export class WrittenSchema {
  readonly #options: SchemaOptions
  #shapes: Shapes | undefined
  /** Each instance may share other schemas, and an application may close before others. */
  readonly #shapesByInstance = new WeakMap<SharingInstance, Shapes>()

  constructor(
    readonly document: JsonSchema,
    options: SchemaOptions
  ) {
    this.#options = options
  }

  /**
   * The shapes without shared schemas: a reference to one accepts any value.
   * @throws {TypeError} if the schema is not valid, see `Bundle`
   */
  get shapes(): Shapes {
    this.#shapes ??= this.#toShapes(new Bundle(this.document), undefined)
    return this.#shapes
  }

  /**
   * Returns the shapes with the shared schemas of an instance.
   * @throws {TypeError} if the schema is not valid, or a reference leads nowhere
   */
  shapesFor(instance: SharingInstance): Shapes {
    if (this.isWhole) return this.shapes
    const shapes = this.#shapesByInstance.get(instance) ?? this.shapesWith(instance.getSchemas())
    this.#shapesByInstance.set(instance, shapes)
    return shapes
  }

  /**
   * Returns the shapes with these shared schemas.
   * @throws {TypeError} if the schema is not valid, or a reference leads nowhere
   */
  shapesWith(shared: SharedSchemas): Shapes {
    if (shared === undefined || this.isWhole) return this.shapes
    const bundle = new Bundle(this.document, shared)
    const [missing] = bundle.missing
    if (missing !== undefined) throw new TypeError(`The reference '${missing}' leads to no schema`)
    return this.#toShapes(bundle, shared)
  }

  /** Whether shared schemas make no difference. */
  get isWhole(): boolean {
    return this.shapes.reader.bundle.missing.length === 0 && typeof this.#options.flagged !== 'function'
  }

  /** Returns another schema with the same options. */
  withDocument(document: JsonSchema): WrittenSchema {
    return new WrittenSchema(document, this.#options)
  }

  #toShapes(bundle: Bundle, shared: SharedSchemas): Shapes {
    const { flagged, ignoresFlags, recordNames } = this.#options
    const names = typeof flagged === 'function' ? flagged(shared) : flagged
    return new Shapes(new SchemaReader(bundle), names, ignoresFlags, recordNames)
  }

  /**
   * Returns the schema for documents: without flagged fields, and with objects closed by default.
   *
   * @param isPatch whether it describes the body of PATCH, where no field is required, and none
   * gets a default
   * @param shared the shared schemas. Without them, references to them stay as they are
   */
  documentWithout(flag: Flag | undefined, isPatch = false, shared?: SharedSchemas): JsonSchema {
    return new DocumentWriter(this.shapesWith(shared), { flag, isPatch }).write()
  }
}
