import { noNames, type SchemaOptions, WrittenSchema } from '../../schema/documents.js'
import type { BodyRules } from './body.js'
import { checkedSchemaOf } from './files.js'
import { readSides } from './json-schema.js'
import { createWholeCheck } from './library.js'
import { triesAllBranches, validateOf } from './standard-schema.js'

/** The schemas of the records that clients send. */
export interface Incoming {
  /** The schema that bodies are checked by. Files are left out: `checkFiles` checks them. */
  readonly written: WrittenSchema
  /** The schema that documents show. */
  readonly shown: WrittenSchema
}

/** The schemas whose `readOnly` flags apply to the body of a method. */
export interface Guards {
  readonly record: Incoming
  /** The option `response`, if there is one. */
  readonly response: readonly WrittenSchema[]
}

/** @param settable the fields that clients may set by the method, although they are `readOnly` */
export type GuardsOf = (settable: readonly string[] | undefined) => Guards

/**
 * Creates the rules of a body with a schema of its own. Its flags apply, and so do those of the
 * record.
 */
export function ownBodyRules(
  schema: unknown,
  guardsOf: GuardsOf,
  settable: readonly string[] | undefined,
  options: SchemaOptions = { flagged: { ...noNames, ...(settable && { settable: new Set(settable) }) } }
): BodyRules {
  const shown = new WrittenSchema(readSides(schema).input.document, options)
  const { record, response } = guardsOf(settable)
  return {
    createValidate: validateOf(schema) && ((root) => createWholeCheck(schema, root)),
    triesAll: triesAllBranches(schema),
    document: shown.documentWithout('readOnly'),
    shown,
    written: checkedSchemaOf(shown),
    guards: [record.written, ...response],
    isOwn: true,
    isPart: false,
    takesDefaults: true
  }
}
