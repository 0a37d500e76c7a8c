import { types } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { withoutContent } from '../../core/content.js'
import { attempt, GeneralError } from '../../core/errors.js'
import { type MethodDefinition, methods } from '../../core/methods.js'
import { isObject, pick } from '../../core/objects.js'
import { type Outgoing, type RecordRules, rulesOf } from '../../core/resource/rules.js'
import { errorWithout, without } from '../../core/without.js'
import { shapesOf } from '../../schema/documents.js'
import { HiddenNames, mayBeObject } from '../../schema/hidden.js'
import { scalarOf } from '../../schema/outgoing.js'
import { kindBits } from '../../schema/reader.js'
import type { Shape } from '../../schema/shape.js'
import { projectionOf } from '../request/resource-route.js'
import { answersPages, hasContentTypes, hasOwnCompiler, listOf, responses, type Schema } from '../request/schema.js'

/** Turns data into JSON. @throws {GeneralError} when that is not possible */
export type Serialize = (data: unknown) => string

/** Returns the function that serializes the data of a reply. */
export type Serializer = (reply: FastifyReply) => Serialize

/**
 * Makes what serializes throw an error of ours alone: V8's messages about values that it can't serialize reveal internals of the server, and
 * a `toJSON` may throw anything.
 */
export function withOwnError(
  serialize: (data: unknown) => string | undefined,
  message = 'The result is not JSON (BigInt or a cycle?)'
): Serialize {
  return (data) => {
    try {
      const text = serialize(data)
      if (text !== undefined) return text
    } catch (error) {
      throw new GeneralError(message, undefined, { cause: error })
    }
    throw new GeneralError(message)
  }
}

const withoutSchema = (name: string) =>
  withOwnError(JSON.stringify, `${name}: the result is not JSON (BigInt or a cycle?)`)

/** Makes what serializes by no schema. `name` is that of the method, with its service. */
export function createStringify(name: string): Serializer {
  const serialize = withoutSchema(name)
  return () => serialize
}

/**
 * Serializes by the response schema of a method, which describes one record: each record of a list, a page or a batch. What is made for a
 * status is kept.
 *
 * @param record of the resource that the service has schemas of: what declares no other answer leaves by it
 */
export function createSerializer(
  name: string,
  method: MethodDefinition,
  schema: FastifySchema,
  instance: FastifyInstance,
  record?: RecordRules
): Serializer {
  const rules = rulesOf(schema)
  const isCustom = ![...methods.values()].includes(method)
  const byStatus = responses(schema)
  // Asked now: when it starts, Fastify sets its own where there is none.
  const hasCompiler = hasOwnCompiler(schema, instance)
  const hasTypes = hasContentTypes(byStatus.values())
  const serializers = new Map<unknown, Serialize>()
  return (reply) => {
    const { statusCode } = reply
    const key = (hasTypes && schemaFor(reply)) || statusCode
    let serialize = serializers.get(key)
    if (serialize === undefined) {
      serialize = create(reply, String(statusCode))
      serializers.set(key, serialize)
    }
    return serialize
  }

  function schemaFor(reply: FastifyReply): Schema | undefined {
    const status = String(reply.statusCode)
    // What a resource does not name does not leave with a redirect, either.
    const other = byStatus.get('default') ?? (rules && byStatus.get('2xx'))
    const answer = byStatus.get(status) ?? byStatus.get(`${status[0]}xx`) ?? other
    return withoutContent(answer, String(reply.getHeader('content-type')))
  }

  function create(reply: FastifyReply, status: string): Serialize {
    const statusSchema = schemaFor(reply)
    if (rules !== undefined && (statusSchema === undefined || statusSchema === rules.response))
      return serializeBy(rules.outgoing, rules.record)
    if (statusSchema === undefined)
      return record === undefined ? withoutSchema(name) : serializeBy(record.outgoing, record)
    const serializeItem = reply.compileSerializationSchema(statusSchema, status) as Serialize
    // The schema of an application's own compiler may be of any kind, and only few results of `get` are lists.
    const whole = hasCompiler || method.id === true ? undefined : listOf(statusSchema)
    const toList =
      whole === undefined
        ? (records: unknown[]) => `[${records.map(serializeItem).join(',')}]`
        : (reply.compileSerializationSchema(whole, status) as Serialize)
    return withOwnError((data) => {
      if (Array.isArray(data)) return toList(data)
      const records = recordsOf(data)
      if (records === undefined) return serializeItem(data)
      // A `toJSON` of the page would give its records once more, and not by the schema.
      const others = JSON.stringify({ ...Object(data), data: undefined, toJSON: undefined }).slice(1, -1)
      return `{${others},"data":${toList(records)}}`
    }, `${name}: the result does not fit the schema of its answers, or is not JSON (BigInt or a cycle?)`)
  }

  /** What is no list and no page, where lists are answered, is an item of one: a stream gives it. */
  function serializeBy(outgoing: Outgoing, record: RecordRules): Serialize {
    const { project, shape } = projectionOf(outgoing, instance)
    // A record with a field of that name is one, also beside numbers.
    const mayBePage = answersPages(method) || (isCustom && !shape.names.includes('data'))
    const takesObjects = (shape.kinds & kindBits.object) !== 0
    // A schema that states no type lets lists pass, too: each item of one is held to it.
    const takesLists = outgoing !== record.outgoing && shape.isOfLists
    const toItem = takesLists && !takesObjects ? (item: unknown) => (project([item]) as unknown[])[0] : project
    const toList = takesLists ? project : (items: unknown[]) => items.map(project)
    const serialize = withOwnError((data) => {
      if (Array.isArray(data)) return toText(toList(data))
      const records = recordsOf(data, mayBePage)
      if (records === undefined) return toText(toItem(data) ?? (takesObjects ? {} : null))
      // A `toJSON` of the page would give its records once more, and not by the schema.
      return toText({ ...withoutHiddenAside(data as object, record), toJSON: undefined, data: toList(records) })
    }, `${name}: the result is not JSON (BigInt or a cycle?)`)
    if (!isCustom || outgoing !== record.outgoing) return serialize
    return (data) => {
      checkRecords(Array.isArray(data) ? data : (recordsOf(data, mayBePage) ?? [data]), shape)
      return serialize(data)
    }
  }

  /** A page without what a record hides, beside its records. */
  function withoutHiddenAside(page: object, record: RecordRules): object {
    const names = Object.keys(page)
    if (names.every((name) => ofPages.includes(name))) return page
    const hidden = namesHiddenBy(record, instance)
    const others = Object.entries(page).filter(([name]) => !ofPages.includes(name) && name !== 'toJSON')
    const isHidden = (name: string) => hidden.mayHave(name)
    const isTextless = (name: string) => hidden.mayBeTextless(name)
    const cleaned = without(Object.fromEntries(others), hidden.names, types, { isHidden, isTextless }) as object
    return { ...pick(ofPages, (name) => (page as Record<string, unknown>)[name]), ...cleaned }
  }

  /** @throws {GeneralError} when a method that declares no answer has given something else than records */
  function checkRecords(items: readonly unknown[], shape: Shape): void {
    const isOther = (item: unknown) => {
      if (item === null || item === undefined || typeof Object(item).toJSON === 'function') return false
      const names = isObject(item) ? Object.keys(item) : undefined
      return names?.length !== 0 && !names?.some((field) => shape.of(item as object).field(field).isKnown)
    }
    if (items.some(isOther))
      throw new GeneralError(
        `${name}: the result has no field of the record of its resource. Declare what it answers, as in resource(schema, { methods: { stats: { response } } })`
      )
  }

  /** The records of a page. */
  function recordsOf(result: unknown, mayBePage = answersPages(method)): unknown[] | undefined {
    return mayBePage && hasListAndCount(Object(result)) ? (result as { data: unknown[] }).data : undefined
  }
}

/** Whether an object is a page of records, which tells a number beside them. */
const hasListAndCount = ({ data, total, limit, skip }: Record<string, unknown>): boolean =>
  Array.isArray(data) && [total, limit, skip].some((count) => typeof count === 'number' || typeof count === 'bigint')

/** Returns what serializes a result, or what stands in its place. */
export type EnvelopeSerializer = (reply: FastifyReply, result: unknown) => Serialize

/**
 * Serializes a result, or what stands in its place: an envelope that a formatter, or a `preSerialization` hook of the application, has put around it. The result within leaves as it does
 * alone, and so does each of its records; what stands beside them leaves without the names that the record hides. What has neither leaves by the schema as a whole.
 */
export const envelopesOf =
  (serializer: Serializer, record: RecordRules, instance: FastifyInstance): EnvelopeSerializer =>
  (reply, result) =>
  (payload) => {
    const serialize = serializer(reply)
    if (payload === result) return serialize(payload)
    if (typeof payload !== 'object' || payload === null) {
      if (typeof payload === 'string') throw nothingLeaves()
      return toText(payload)
    }
    const { total, data } = Object(result) as { readonly total?: unknown; readonly data?: unknown }
    const list = total === undefined ? result : data
    const parts = new Set([result, list, ...(Array.isArray(list) ? list : [])].filter((part) => Object(part) === part))
    // No record has been found, so none has to be in what was made of the result.
    const isOfNone = Object(result) !== result || (Array.isArray(list) && list.length === 0)
    const hidden = namesHiddenBy(record, instance)
    const left = new WeakSet<object>()
    const leave = (value: unknown) => {
      if (typeof value === 'object' && value !== null) left.add(value)
      return value
    }
    let hasResult = false as boolean
    const enclosed = JSON.stringify(payload, function (this: Record<string, unknown>, name, value) {
      if (left.has(this)) return leave(value)
      if (typeof this[name] === 'object' && parts.has(this[name])) {
        hasResult = true
        return leave(JSON.parse(serialize(this[name])))
      }
      const isNamed =
        this[name] !== payload && !Array.isArray(this) && !(ofPages.includes(name) && hasListAndCount(this))
      if (isNamed && isHiddenIn(hidden, name, this[name])) return undefined
      return typeof value === 'bigint' ? scalarOf(value) : value
    })
    // What has the status of an error tells of one.
    if (hasResult || isOfNone || reply.statusCode >= 400) return enclosed
    const text = serialize(payload)
    if (text === '{}' && Object.keys(payload).length > 0) throw nothingLeaves()
    return text
  }

const nothingLeaves = () =>
  new GeneralError(
    'Nothing of what a formatter or a hook has made may leave: put the result itself, its list or its records into it, since a copy can not be told from other objects'
  )

/** Whether a value beside a result may be a hidden field of a copy. An object under any other name is looked into. */
function isHiddenIn(hidden: HiddenNames, name: string, value: unknown): boolean {
  if (hidden.has(name) || hidden.holders.has(name)) return true
  const isObjectAsText = ArrayBuffer.isView(value) || (typeof value === 'string' && mayBeObject(value))
  if (isObjectAsText && hidden.mayBeTextless(name)) return true
  return typeof value !== 'object' && hidden.mayHave(name)
}

const ofPages = ['total', 'limit', 'skip', 'data']

/** JSON, in which a field of any kind may hold a number that only `BigInt` has. */
function toText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    const text = attempt(() =>
      JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? scalarOf(inner) : inner))
    )
    if (text === undefined) throw error
    return text
  }
}

/** What tells which field of a body a message is about. */
const wordsOfErrors = new Set(['instancePath', 'schemaPath', 'keyword', 'params', 'message'])

type OnError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown

/** Makes an error handler leave out of what errors tell the fields that a resource hides, at any depth. */
export function withoutHidden(onError: OnError, record: RecordRules, instance: FastifyInstance): OnError {
  // Few services fail, and few schemas hide something.
  let hidden: HiddenNames | undefined
  const namesIn = (hidden: HiddenNames) => ({
    isHidden: (name: string) => hidden.has(name) || (!wordsOfErrors.has(name) && hidden.mayHave(name)),
    isTextless: (name: string) => hidden.isTextless(name) || (!wordsOfErrors.has(name) && hidden.mayBeTextless(name))
  })
  return (error, request, reply) => {
    hidden ??= namesHiddenBy(record, instance)
    return onError(
      hidden.size === 0 ? error : errorWithout(error, hidden.names, types, namesIn(hidden)),
      request,
      reply
    )
  }
}

/** The names of the fields of a record that do not leave: those that are flagged, and those that its answer does not have. */
function namesHiddenBy(record: RecordRules, instance: FastifyInstance): HiddenNames {
  const incoming = shapesOf(record.incoming, instance)
  const outgoing = shapesOf(record.outgoing.written, instance)
  return outgoing.root.remember(namesHiddenBy, () => {
    const left = incoming.root.names.filter((name) => !outgoing.root.field(name).isKnown)
    return new HiddenNames([incoming, outgoing], left)
  })
}
