import type { JsonSchema } from '../../types/standard-schema.js'
import { Bundle } from './bundle.js'
import { DocumentWriter } from './document-writer.js'
import type { FlaggedNames } from './flagged-names.js'
import { type Flag, SchemaReader } from './reader.js'
import { Shapes } from './shape.js'

/** The schemas of `app.addSchema` by their ids. */
type SharedSchemas = Readonly<Record<string, unknown>>

export interface SchemaOptions {
  /** The fields that options flag. */
  readonly flagged: FlaggedNames
  /** Whether flags in the schema itself don't count. */
  readonly ignoresFlags?: boolean
  /** The names of the record's fields, if the schema describes something else. */
  readonly recordNames?: readonly string[]
}

/** A schema as the application has written it, with the options that apply to it. */
export class WrittenSchema {
  readonly #options: SchemaOptions
  readonly #shared: SharedSchemas
  #shapes: Shapes | undefined

  /** @param shared further schemas that this one may refer to. Those of a resource refer to none */
  constructor(
    readonly document: JsonSchema,
    options: SchemaOptions,
    shared: SharedSchemas = {}
  ) {
    this.#options = options
    this.#shared = shared
  }

  /** @throws {TypeError} if the schema is not valid, see `Bundle` */
  get shapes(): Shapes {
    const { flagged, ignoresFlags, recordNames } = this.#options
    this.#shapes ??= new Shapes(
      new SchemaReader(new Bundle(this.document, this.#shared)),
      flagged,
      ignoresFlags,
      recordNames
    )
    return this.#shapes
  }

  /** Returns another schema with the same options. */
  withDocument(document: JsonSchema, shared?: SharedSchemas): WrittenSchema {
    return new WrittenSchema(document, this.#options, shared)
  }

  /**
   * Returns the schema for documents: without flagged fields, and with objects closed by default.
   *
   * @param isPatch whether it describes the body of PATCH, where no field is required, and none
   * gets a default
   */
  documentWithout(flag: Flag | undefined, isPatch = false): JsonSchema {
    return new DocumentWriter(this.shapes, { flag, isPatch }).write()
  }
}
