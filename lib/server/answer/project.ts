import { types } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { keepAdded } from '../../core/added-fields.js'
import { GeneralError } from '../../core/errors.js'
import { type MethodDefinition, methods } from '../../core/methods.js'
import { isObject, pick } from '../../core/objects.js'
import { recordsOfPage } from '../../core/page.js'
import { redactError, redactFields } from '../../core/redact.js'
import type { MethodRules, Outgoing, RecordRules } from '../../core/resource/method-rules.js'
import { EncodeError } from '../../schema/codec.js'
import { kindBits } from '../../schema/reader.js'
import { mayBeSerialized, RedactedFields } from '../../schema/redacted-fields.js'
import type { Shape } from '../../schema/shape.js'
import { resolveToJson } from '../../schema/to-json.js'
import { projectionOf } from '../request/resource-route.js'
import { answersPages } from '../request/schema.js'
import { type Serialize, stringifyExactly, withSafeErrors } from './serializer.js'

/** Projects the results of a method of a resource: copies only the fields that clients may see. */
export interface Projector {
  /**
   * @throws {GeneralError} if the result is not JSON, or `find` returns neither a list nor a page
   */
  project(result: unknown): unknown
  /** Projects an item of a stream. */
  projectItem(item: unknown): unknown
  /** Serializes projected data, also after the application has replaced it. */
  readonly serialize: Serialize
}

/** A method of a resource. */
interface ResourceMethod {
  /** As in `users.create`. */
  readonly label: string
  readonly definition: MethodDefinition
  readonly serialize: Serialize
  /** The message for results that are not JSON. */
  readonly message: string
  readonly addsFields: boolean
}

/**
 * Creates the projector of a method. Results are projected before a formatter, middleware or a hook
 * of the application reads them, so that no table or page that these make holds a hidden field.
 *
 * @param record of the resource. A method that it does not declare is projected by it
 * @param addsFields whether hooks of this package may add fields to records
 */
export function createProjector(
  label: string,
  definition: MethodDefinition,
  rules: MethodRules | undefined,
  record: RecordRules,
  addsFields = false
): Projector {
  const message = `${label}: the result is not JSON (BigInt or a cycle?)`
  const serialize = withSafeErrors(stringifyExactly, message)
  const method = { label, definition, serialize, message, addsFields }
  return new RecordProjector(method, (rules ?? record).outgoing, rules?.record ?? record)
}

/** A result as its `toJSON` gives it, and its records, if it is a list or a page. */
interface ReadResult {
  readonly data: unknown
  readonly records: readonly unknown[] | undefined
}

/** Projects by the record of a resource, or by the declared response of a method. */
class RecordProjector implements Projector {
  readonly serialize: Serialize
  readonly #method: ResourceMethod
  readonly #record: RecordRules
  readonly #shape: Shape
  readonly #projectRecord: (record: unknown) => unknown
  /** Whether a custom method returns fields that it has not declared. */
  readonly #isUndeclared: boolean
  readonly #needsList: boolean
  readonly #mayBePage: boolean
  readonly #takesObjects: boolean
  readonly #takesLists: boolean

  constructor(method: ResourceMethod, outgoing: Outgoing, record: RecordRules) {
    const { definition, serialize } = method
    const { project, shape } = projectionOf(outgoing)
    const isCustom = ![...methods.values()].includes(definition)
    const isRecord = outgoing === record.outgoing
    this.serialize = serialize
    this.#method = method
    this.#record = record
    this.#shape = shape
    this.#projectRecord = method.addsFields ? (record) => keepAdded(record, project(record)) : project
    this.#isUndeclared = isRecord && isCustom
    this.#needsList = isRecord && definition === methods.get('find')
    // An object with a field `data` in its schema is a record, even beside numbers. An open record
    // would let the records of a page pass unprojected.
    const { isKnown, shape: data } = shape.field('data')
    const isOpen = isKnown && data.acceptsAnyMembers
    this.#mayBePage = answersPages(definition) || ((isCustom || isOpen) && !shape.names.includes('data'))
    this.#takesObjects = (shape.kinds & kindBits.object) !== 0
    // A schema without a type accepts lists, too: it applies to each item.
    this.#takesLists = !isRecord && shape.isOfLists
  }

  project(result: unknown): unknown {
    if (!this.#needsList) return this.projectItem(result)
    const read = this.#read(result)
    if (read.records === undefined) throw new GeneralError(`${this.#method.label}: ${noList}`)
    return this.#copy(read)
  }

  projectItem(item: unknown): unknown {
    const read = this.#read(item)
    if (this.#isUndeclared) this.#checkRecords(read.records ?? [read.data])
    return this.#copy(read)
  }

  #read(result: unknown): ReadResult {
    try {
      const data = resolveToJson(result)
      const records = Array.isArray(data) ? data : this.#mayBePage ? recordsOfPage(data) : undefined
      // Resolved once, for the check and for the copy: the next `toJSON` may give something else.
      return { data, records: this.#isUndeclared ? records?.map(resolveToJson) : records }
    } catch (cause) {
      throw new GeneralError(this.#method.message, undefined, { cause })
    }
  }

  #copy({ data, records }: ReadResult): unknown {
    const { label, message } = this.#method
    try {
      if (records === undefined) return this.#copyItem(data) ?? (this.#takesObjects ? {} : null)
      const list = this.#takesLists ? this.#projectRecord(records) : records.map(this.#projectRecord)
      return Array.isArray(data) ? list : toPage(data as object, list, this.#record)
    } catch (cause) {
      const text = cause instanceof EncodeError ? `${label}: a codec can not encode the result` : message
      throw new GeneralError(text, undefined, { cause })
    }
  }

  /**
   * Copies a value that is neither a list nor a page: the only item of a list, if lists are
   * declared.
   */
  #copyItem(data: unknown): unknown {
    return this.#takesLists && !this.#takesObjects
      ? (this.#projectRecord([data]) as unknown[])[0]
      : this.#projectRecord(data)
  }

  /** @throws {GeneralError} if a custom method without a declared response returns no records */
  #checkRecords(items: readonly unknown[]): void {
    const isOther = (item: unknown) => {
      if (item === null || item === undefined || item instanceof Date) return false
      const names = isObject(item) ? Object.keys(item) : undefined
      return names?.length !== 0 && !names?.some((field) => this.#shape.narrow(item as object).field(field).isKnown)
    }
    if (items.some(isOther))
      throw new GeneralError(
        `${this.#method.label}: the result has no field of the record of its resource. Declare what it answers, as in resource(schema, { methods: { stats: { response } } })`
      )
  }
}

/** Copies a page with projected records, and redacts the hidden fields of a record beside them. */
function toPage(page: object, data: unknown, record: RecordRules): object {
  const entries = Object.entries(page).filter(([name]) => name !== 'data')
  if (entries.every(([name, value]) => pageNumbers.includes(name) && Object(value) !== value)) return { ...page, data }
  const hidden = hiddenNamesOf(record)
  const isHidden = (name: string) => hidden.mayHave(name)
  const isTextless = (name: string) => hidden.mayRedactText(name)
  const redact = (value: unknown) => redactFields(value, hidden.names, types, { isHidden, isTextless })
  const numbers = pick(pageNumbers, (name) => redact((page as Record<string, unknown>)[name]))
  const fields = redact(Object.fromEntries(entries.filter(([name]) => !pageNumbers.includes(name))))
  return { ...numbers, data, ...(fields as object) }
}

const pageNumbers = ['total', 'limit', 'skip']

/**
 * Creates the function that reads the result of a method of a resource. If a result has a `toJSON`,
 * its value is the result.
 */
export function createResultReader(label: string): (result: unknown) => unknown {
  const message = `${label}: the result is not JSON (BigInt or a cycle?)`
  const resolve = withSafeErrors((result) => resolveToJson(result) ?? null, message)
  return (result) => {
    const json = resolve(result)
    // Hidden fields can't be redacted in a string.
    if (json !== result && typeof json === 'string' && mayBeSerialized(json))
      throw new GeneralError(`${label}: the \`toJSON\` of the result gives JSON as a text. Return the object itself`)
    return json
  }
}

const noList =
  'the result is neither a list nor a page. Return a list of records, or { total, limit, skip, data }, of which data is a list and another one a number'

/** Properties of validation issues, which say what a message is about. */
const issueProperties = new Set(['instancePath', 'schemaPath', 'keyword', 'params', 'message'])

type OnError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown

/** Wraps an error handler: it gets errors without the hidden fields of a resource, at any depth. */
export function redactErrors(onError: OnError, record: RecordRules): OnError {
  const redact = createErrorRedactor(record)
  return (error, request, reply) => onError(redact(error), request, reply)
}

/** Creates the function that redacts the hidden fields of a resource in an error, at any depth. */
export function createErrorRedactor(record: RecordRules): <E>(error: E) => E {
  // Created late: few services fail, and few schemas hide something.
  let hidden: RedactedFields | undefined
  const namesIn = (hidden: RedactedFields) => ({
    isHidden: (name: string) => hidden.has(name) || (!issueProperties.has(name) && hidden.mayHave(name)),
    isTextless: (name: string) => hidden.redactsText(name) || (!issueProperties.has(name) && hidden.mayRedactText(name))
  })
  return (error) => {
    hidden ??= hiddenNamesOf(record)
    return hidden.size === 0 ? error : redactError(error, hidden.names, types, namesIn(hidden))
  }
}

/**
 * Returns the names of the fields of a record that are never sent: flagged ones, and fields that
 * its response does not have.
 */
function hiddenNamesOf(record: RecordRules): RedactedFields {
  const incoming = record.incoming.shapes
  const outgoing = record.outgoing.written.shapes
  const bodies = record.bodies.map((written) => written.shapes)
  return outgoing.root.remember(hiddenNamesOf, () => {
    const left = incoming.root.names.filter((name) => !outgoing.root.field(name).isKnown)
    return new RedactedFields([incoming, outgoing, ...bodies], left)
  })
}
