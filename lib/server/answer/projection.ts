import { types } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { GeneralError } from '../../core/errors.js'
import { type MethodDefinition, methods } from '../../core/methods.js'
import { isObject, pick } from '../../core/objects.js'
import { recordsOfPage } from '../../core/page.js'
import { redactError, redactFields } from '../../core/redact.js'
import { type Outgoing, type RecordRules, rulesOf } from '../../core/resource/method-rules.js'
import { EncodeError } from '../../schema/codec.js'
import { shapesOf } from '../../schema/documents.js'
import { kindBits } from '../../schema/reader.js'
import { mayBeSerialized, RedactedFields } from '../../schema/redacted-fields.js'
import type { Shape } from '../../schema/shape.js'
import { resolveToJson } from '../../schema/to-json.js'
import { projectionOf } from '../request/resource-route.js'
import { answersPages } from '../request/schema.js'
import { compilerOf, forAnswers, type Serialize, toText, withOwnError } from './serializer.js'
import { isStream } from './stream.js'

/**
 * What may leave of the results of a resource. All throw a GeneralError for what JSON has nothing
 * for.
 */
export interface Leaving {
  /**
   * Copies what may leave of a result.
   * @throws {GeneralError} if `find` gives neither a list nor a page
   */
  readonly project: (data: unknown) => unknown
  /** Copies what may leave of an item of a stream. */
  readonly projectItem: (data: unknown) => unknown
  /** Makes JSON of what was projected, and of what an application has made of it. */
  readonly serialize: Serialize
}

/**
 * Makes what gives what may leave of the results of a method of a resource. It is asked before
 * anything of the application reads the result: what a formatter, middleware or a hook makes of it,
 * be it a table or a page, can hold nothing else.
 *
 * @param record of the resource: what declares no other answer leaves by it
 */
export function createLeaving(
  name: string,
  method: MethodDefinition,
  schema: FastifySchema,
  instance: FastifyInstance,
  record: RecordRules
): (reply: FastifyReply) => Leaving {
  const rules = rulesOf(schema)
  const isCustom = ![...methods.values()].includes(method)
  const isFind = method === methods.get('find')
  const message = `${name}: the result is not JSON (BigInt or a cycle?)`
  const serialize = withOwnError(toText, message)
  const compile = compilerOf(name, method, schema, instance)
  return forAnswers(schema, (reply, answer) => {
    if (rules !== undefined && (answer === undefined || answer === rules.response))
      return { ...projectBy(rules.outgoing, rules.record), serialize }
    if (answer === undefined) return { ...projectBy(record.outgoing, record), serialize }
    const serializeBySchema = compile(reply, answer)
    const project = withOwnError((input) => {
      const data = parseExactly(serializeBySchema(input))
      const records = answersPages(method) ? recordsOfPage(data) : undefined
      return records === undefined ? data : toPage(data as object, records, record)
    }, message)
    return { project, projectItem: project, serialize }
  })

  /**
   * What is no list and no page, where lists are answered, is an item of one: a stream gives it.
   */
  function projectBy(outgoing: Outgoing, record: RecordRules): Omit<Leaving, 'serialize'> {
    const { project: projectRecord, shape } = projectionOf(outgoing, instance)
    // A record with a field of that name is one, also beside numbers. An open record would let the
    // records of a page leave whole.
    const list = shape.field('data')
    const leavesWhole = list.isKnown && list.shape.acceptsAnyMembers
    const mayBePage = answersPages(method) || ((isCustom || leavesWhole) && !shape.names.includes('data'))
    const takesObjects = (shape.kinds & kindBits.object) !== 0
    // A schema that states no type lets lists pass, too: each item of one is held to it.
    const takesLists = outgoing !== record.outgoing && shape.isOfLists
    const toItem =
      takesLists && !takesObjects ? (item: unknown) => (projectRecord([item]) as unknown[])[0] : projectRecord
    const toList = takesLists ? projectRecord : (items: readonly unknown[]) => items.map(projectRecord)
    const recordsIn = (data: unknown) => (Array.isArray(data) ? data : mayBePage ? recordsOfPage(data) : undefined)
    const isOfRecord = outgoing === record.outgoing
    const failure = (error: unknown) =>
      error instanceof EncodeError ? `${name}: a codec can not encode the result` : undefined
    const read = withOwnError((input): ReadResult => {
      const data = resolveToJson(input)
      const records = recordsIn(data)
      // What is checked is what leaves: a `toJSON` may give something else the next time.
      return { data, records: isOfRecord && isCustom ? records?.map(resolveToJson) : records }
    }, message)
    const copy = withOwnError<unknown>(
      (input) => {
        const { data, records } = input as ReadResult
        if (records === undefined) return toItem(data) ?? (takesObjects ? {} : null)
        const list = toList(records)
        return Array.isArray(data) ? list : toPage(data as object, list, record)
      },
      message,
      failure
    )
    const projectItem = (input: unknown) => {
      const result = read(input)
      if (isOfRecord && isCustom) checkRecords(result.records ?? [result.data], shape)
      return copy(result)
    }
    if (!isFind || !isOfRecord) return { project: projectItem, projectItem }
    const project = (input: unknown) => {
      const result = read(input)
      if (result.records === undefined) throw new GeneralError(`${name}: ${noList}`)
      return copy(result)
    }
    return { project, projectItem }
  }

  /**
   * Copies a page with other records, and redacts the fields beside them: those that a record hides
   * leave with none of them.
   */
  function toPage(page: object, data: unknown, record: RecordRules): object {
    const others = Object.entries(page).filter(([name]) => name !== 'data')
    if (others.every(([name, value]) => ofPages.includes(name) && Object(value) !== value)) return { ...page, data }
    const hidden = namesHiddenBy(record, instance)
    const isHidden = (name: string) => hidden.mayHave(name)
    const isTextless = (name: string) => hidden.mayRedactText(name)
    const redact = (value: unknown) => redactFields(value, hidden.names, types, { isHidden, isTextless })
    const numbers = pick(ofPages, (name) => redact((page as Record<string, unknown>)[name]))
    const further = redact(Object.fromEntries(others.filter(([name]) => !ofPages.includes(name))))
    return { ...numbers, data, ...(further as object) }
  }

  /**
   * @throws {GeneralError} when a method that declares no answer has given something else than
   * records
   */
  function checkRecords(items: readonly unknown[], shape: Shape): void {
    const isOther = (item: unknown) => {
      if (item === null || item === undefined || item instanceof Date) return false
      const names = isObject(item) ? Object.keys(item) : undefined
      return names?.length !== 0 && !names?.some((field) => shape.narrow(item as object).field(field).isKnown)
    }
    if (items.some(isOther))
      throw new GeneralError(
        `${name}: the result has no field of the record of its resource. Declare what it answers, as in resource(schema, { methods: { stats: { response } } })`
      )
  }
}

/**
 * Makes the function that reads the result of a method of a resource: what the `toJSON` of a result
 * gives is the result.
 *
 * @param name of the method, with its service
 */
export function createResultReader(name: string): (result: unknown) => unknown {
  const message = `${name}: the result is not JSON (BigInt or a cycle?)`
  const resolve = withOwnError((result) => resolveToJson(result) ?? null, message)
  return (result) => {
    if (result instanceof Error || isStream(result)) return result
    const json = resolve(result)
    // Nobody could leave hidden fields out of a text.
    if (json !== result && typeof json === 'string' && mayBeSerialized(json))
      throw new GeneralError(`${name}: the \`toJSON\` of the result gives JSON as a text. Return the object itself`)
    return json
  }
}

/**
 * The value of a JSON text, with a text for each integer that a number would change: it was a
 * `BigInt`.
 */
function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  const exact = text.replace(/"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) && String(BigInt(Number(token))) !== token ? `"${token}"` : token
  )
  return JSON.parse(exact)
}

const ofPages = ['total', 'limit', 'skip']

const noList =
  'the result is neither a list nor a page. Return a list of records, or { total, limit, skip, data }, of which data is a list and another one a number'

/** A result as its `toJSON` gives it, and its records, if it is a list or a page. */
interface ReadResult {
  readonly data: unknown
  readonly records: readonly unknown[] | undefined
}

/** What tells which field of a body a message is about. */
const wordsOfErrors = new Set(['instancePath', 'schemaPath', 'keyword', 'params', 'message'])

type OnError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown

/**
 * Makes an error handler leave out of what errors tell the fields that a resource hides, at any
 * depth.
 */
export function withoutHidden(onError: OnError, record: RecordRules, instance: FastifyInstance): OnError {
  // Few services fail, and few schemas hide something.
  let hidden: RedactedFields | undefined
  const namesIn = (hidden: RedactedFields) => ({
    isHidden: (name: string) => hidden.has(name) || (!wordsOfErrors.has(name) && hidden.mayHave(name)),
    isTextless: (name: string) => hidden.redactsText(name) || (!wordsOfErrors.has(name) && hidden.mayRedactText(name))
  })
  return (error, request, reply) => {
    hidden ??= namesHiddenBy(record, instance)
    return onError(hidden.size === 0 ? error : redactError(error, hidden.names, types, namesIn(hidden)), request, reply)
  }
}

/**
 * The names of the fields of a record that do not leave: those that are flagged, and those that its
 * answer does not have.
 */
function namesHiddenBy(record: RecordRules, instance: FastifyInstance): RedactedFields {
  const incoming = shapesOf(record.incoming, instance)
  const outgoing = shapesOf(record.outgoing.written, instance)
  const bodies = record.bodies.map((written) => shapesOf(written, instance))
  return outgoing.root.remember(namesHiddenBy, () => {
    const left = incoming.root.names.filter((name) => !outgoing.root.field(name).isKnown)
    return new RedactedFields([incoming, outgoing, ...bodies], left)
  })
}
