import { types } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { GeneralError } from '../../core/errors.js'
import { type MethodDefinition, methods } from '../../core/methods.js'
import { isObject, pick } from '../../core/objects.js'
import { type Outgoing, type RecordRules, rulesOf } from '../../core/resource/rules.js'
import { errorWithout, without } from '../../core/without.js'
import { shapesOf } from '../../schema/documents.js'
import { HiddenNames } from '../../schema/hidden.js'
import { kindBits } from '../../schema/reader.js'
import type { Shape } from '../../schema/shape.js'
import { projectionOf } from '../request/resource-route.js'
import { answersPages } from '../request/schema.js'
import { compilerOf, forAnswers, recordsOf, type Serialize, toText, withOwnError } from './serializer.js'

/** What may leave of the results of a resource. Both throw a GeneralError for what JSON has nothing for. */
export interface Leaving {
  /** Copies what may leave of a result, or of an item of a stream. */
  readonly project: (data: unknown) => unknown
  /** Makes JSON of what was projected, and of what an application has made of it. */
  readonly serialize: Serialize
}

/**
 * Makes what gives what may leave of the results of a method of a resource. It is asked before anything of the application reads the result: what a formatter, middleware or a hook makes of it,
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
  const message = `${name}: the result is not JSON (BigInt or a cycle?)`
  const serialize = withOwnError(toText, message)
  const compile = compilerOf(name, method, schema, instance)
  return forAnswers(schema, (reply, answer) => {
    if (rules !== undefined && (answer === undefined || answer === rules.response))
      return { project: projectBy(rules.outgoing, rules.record), serialize }
    if (answer === undefined) return { project: projectBy(record.outgoing, record), serialize }
    const serializeBySchema = compile(reply, answer)
    return { project: withOwnError((data) => parseExactly(serializeBySchema(data)), message), serialize }
  })

  /** What is no list and no page, where lists are answered, is an item of one: a stream gives it. */
  function projectBy(outgoing: Outgoing, record: RecordRules): Leaving['project'] {
    const { project, shape } = projectionOf(outgoing, instance)
    // A record with a field of that name is one, also beside numbers.
    const mayBePage = answersPages(method) || (isCustom && !shape.names.includes('data'))
    const takesObjects = (shape.kinds & kindBits.object) !== 0
    // A schema that states no type lets lists pass, too: each item of one is held to it.
    const takesLists = outgoing !== record.outgoing && shape.isOfLists
    const toItem = takesLists && !takesObjects ? (item: unknown) => (project([item]) as unknown[])[0] : project
    const toList = takesLists ? project : (items: unknown[]) => items.map(project)
    const recordsIn = (data: unknown) => (Array.isArray(data) ? data : mayBePage ? recordsOf(data) : undefined)
    const copy = withOwnError((data) => {
      const records = recordsIn(data)
      if (records === undefined) return toItem(data) ?? (takesObjects ? {} : null)
      return records === data
        ? toList(records)
        : { ...withoutHiddenAside(data as object, record), data: toList(records) }
    }, message)
    if (!isCustom || outgoing !== record.outgoing) return copy
    return (data) => {
      checkRecords(recordsIn(data) ?? [data], shape)
      return copy(data)
    }
  }

  /** A page without what a record hides, beside its records. */
  function withoutHiddenAside(page: object, record: RecordRules): object {
    if (Object.keys(page).every((name) => ofPages.includes(name))) return page
    // A `toJSON` of the page would give its records once more, and not by the schema.
    const others = Object.entries(page).filter(([name]) => !ofPages.includes(name) && name !== 'toJSON')
    const hidden = namesHiddenBy(record, instance)
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
}

/** The value of a JSON text, with a text for each integer that a number would change: it was a `BigInt`. */
function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  const exact = text.replace(/"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) && String(BigInt(Number(token))) !== token ? `"${token}"` : token
  )
  return JSON.parse(exact)
}

const ofPages = ['total', 'limit', 'skip', 'data']

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
