import type { JsonSchema, ResourceOptions } from '../../../types/resource.js'
import { type FlaggedNames, noNames } from '../../schema/flagged-names.js'
import type { Shape } from '../../schema/shape.js'
import { type SchemaOptions, WrittenSchema } from '../../schema/written-schema.js'
import type { MaySend } from '../adapters/update.js'
import { checkedSchemaOf } from './files.js'
import { readSides } from './json-schema.js'
import { createPatchCheck, createWholeCheck } from './library.js'
import { type StandardValidate, triesAllBranches, validateOf } from './standard-schema.js'

/** The rules of the bodies of a method. */
export interface BodyRules {
  /** The schema for documents. */
  readonly document: JsonSchema
  /** The schema of that document, which includes files. */
  readonly shown: WrittenSchema
  /** The schema that bodies are validated by. Files are validated apart, by `checkFiles`. */
  readonly written: WrittenSchema
  /** Other schemas of the record, whose `readOnly` fields a body can't have. */
  readonly guards: readonly WrittenSchema[]
  /** Whether an option gives the schema. */
  readonly isOwn?: boolean
  /** Whether a body is a patch: each field is validated on its own. */
  readonly isPatch: boolean
  /** Whether the option `lists` accepts or refuses lists of records. */
  readonly takesLists?: boolean | undefined
  /** Whether a missing body counts as one without fields. */
  readonly mayBeAbsent?: boolean
  /** Whether missing fields get the defaults of the schema. */
  readonly takesDefaults: boolean
  /** Whether the library tries all branches of a union that declares no discriminator. */
  readonly triesAll: boolean
  /**
   * Creates the validation by the library of the schema, if it has one.
   * @throws {TypeError} if the library can't validate such bodies
   */
  readonly createValidate: ((root: Shape) => StandardValidate) | undefined
}

/**
 * Returns whether a body may have a field. A record that is a union has the fields of all branches.
 */
export function maySendOf({ written, guards }: BodyRules): MaySend {
  const [body, ...others] = [written, ...guards].map(({ shapes }) => shapes.root.narrow({})) as [Shape, ...Shape[]]
  return (name) => body.field(name).isKnown && ![body, ...others].some((shape) => shape.field(name).readOnly)
}

/** The schema of the records that clients send, with and without files. */
type Incoming = Pick<BodyRules, 'shown' | 'written'>

const toIncoming = (shown: WrittenSchema): Incoming => ({ shown, written: checkedSchemaOf(shown) })

/** The schemas whose `readOnly` flags apply to the body of a method. */
interface Guards {
  readonly record: Incoming
  /** The option `response`, if there is one. */
  readonly response: readonly WrittenSchema[]
}

/** The schemas of a record, from which the rules of its bodies follow. */
export class BodySchemas {
  readonly #schema: unknown
  readonly #input: JsonSchema
  /** The option `response`, if there is one. */
  readonly #response: JsonSchema | undefined
  readonly #flagged: FlaggedNames
  readonly #guards: Guards

  /** @param input the JSON Schema of `schema`, as clients send records */
  constructor(schema: unknown, input: WrittenSchema, response: WrittenSchema | undefined, flagged: FlaggedNames) {
    this.#schema = schema
    this.#input = input.document
    this.#response = response?.document
    this.#flagged = flagged
    this.#guards = { record: toIncoming(input), response: response === undefined ? [] : [response] }
  }

  get record(): WrittenSchema {
    return this.#guards.record.written
  }

  /** Returns the guards, except for `readOnly` fields that clients may set by a method. */
  #guardsFor(settable: readonly string[] | undefined): Guards {
    if (settable === undefined) return this.#guards
    const flagged = { ...this.#flagged, settable: new Set(settable) }
    const response = this.#response === undefined ? [] : [new WrittenSchema(this.#response, { flagged })]
    return { record: toIncoming(new WrittenSchema(this.#input, { flagged })), response }
  }

  /** Returns the rules of `create`, `update` and `patch`, by method. */
  toRules({ create, update = create, patch, settable = {}, lists }: ResourceOptions): ReadonlyMap<string, BodyRules> {
    const whole = this.#wholeRules(undefined)
    const rulesOf = (bodySchema: unknown, names: readonly string[] | undefined) => {
      if (bodySchema !== undefined) return this.toOwnRules(bodySchema, names)
      return names === undefined ? whole : this.#wholeRules(names)
    }
    const ofPatch =
      patch === undefined
        ? this.#patchRules(settable.patch === undefined ? whole : this.#wholeRules(settable.patch))
        : { ...this.toOwnRules(patch, settable.patch), takesDefaults: false }
    return new Map([
      ['create', { ...rulesOf(create, settable.create), takesLists: lists }],
      ['update', rulesOf(update, settable.update)],
      ['patch', ofPatch]
    ])
  }

  #wholeRules(settable: readonly string[] | undefined): BodyRules {
    const { record, response } = this.#guardsFor(settable)
    return rulesOfWhole(this.#schema, record, response)
  }

  #patchRules(rules: BodyRules): BodyRules {
    const schema = this.#schema
    return {
      ...rules,
      createValidate: validateOf(schema) && ((root) => createPatchCheck(schema, root)),
      document: rules.shown.documentWithout('readOnly', true),
      isPatch: true,
      takesDefaults: false
    }
  }

  /**
   * Returns the rules of a body with a schema of its own. Its flags apply, and so do those of the
   * record.
   */
  toOwnRules(
    schema: unknown,
    settable: readonly string[] | undefined,
    options: SchemaOptions = { flagged: { ...noNames, ...(settable && { settable: new Set(settable) }) } }
  ): BodyRules {
    const incoming = toIncoming(new WrittenSchema(readSides(schema).input.document, options))
    const { record, response } = this.#guardsFor(settable)
    return { ...rulesOfWhole(schema, incoming, [record.written, ...response]), isOwn: true }
  }
}

/** Returns the rules of bodies that are validated as a whole. */
const rulesOfWhole = (schema: unknown, incoming: Incoming, guards: readonly WrittenSchema[]): BodyRules => ({
  ...incoming,
  createValidate: validateOf(schema) && ((root) => createWholeCheck(schema, root)),
  triesAll: triesAllBranches(schema),
  document: incoming.shown.documentWithout('readOnly'),
  guards,
  isPatch: false,
  takesDefaults: true
})
