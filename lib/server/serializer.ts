import type { FastifyInstance, FastifyReply, FastifySchema } from 'fastify'
import { attempt, GeneralError } from '../core/errors.js'
import type { MethodDefinition } from '../core/methods.js'
import { rulesOf } from '../core/resource/resource.js'
import { type Project, scalarOf } from '../schema/outgoing.js'
import { projectionOf } from './resource.js'
import { answersPages, hasOwnCompiler, listOf, responses } from './schema.js'

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
 */
export function createSerializer(
  name: string,
  method: MethodDefinition,
  schema: FastifySchema,
  instance: FastifyInstance
): Serializer {
  const byStatus = responses(schema)
  // Asked now: when it starts, Fastify sets its own where there is none.
  const hasCompiler = hasOwnCompiler(schema, instance)
  const kept = new Map<number, Serialize>()
  return (reply) => {
    const { statusCode } = reply
    let serialize = kept.get(statusCode)
    if (serialize === undefined) {
      serialize = create(reply, String(statusCode))
      kept.set(statusCode, serialize)
    }
    return serialize
  }

  function create(reply: FastifyReply, status: string): Serialize {
    // What a resource does not name does not leave with a redirect, either.
    const other = byStatus.get('default') ?? (rulesOf(schema) && byStatus.get('2xx'))
    const found = byStatus.get(status) ?? byStatus.get(`${status[0]}xx`) ?? other
    if (found === undefined) return withoutSchema(name)
    const project = projectionOf(schema, found, instance)
    if (project !== undefined) return serializeRecords(project)
    const one = reply.compileSerializationSchema(found, status) as Serialize
    // The schema of an application's own compiler may be of any kind, and only few results of `get` are lists.
    const whole = hasCompiler || method.id === true ? undefined : listOf(found)
    const toList =
      whole === undefined
        ? (records: unknown[]) => `[${records.map(one).join(',')}]`
        : (reply.compileSerializationSchema(whole, status) as Serialize)
    return withOwnError((data) => {
      if (Array.isArray(data)) return toList(data)
      const records = recordsOf(data)
      if (records === undefined) return one(data)
      // A `toJSON` of the page would give its records once more, and not by the schema.
      const others = JSON.stringify({ ...Object(data), data: undefined, toJSON: undefined }).slice(1, -1)
      return `{${others === '' ? '' : `${others},`}"data":${toList(records)}}`
    }, `${name}: the result does not fit the schema of its answers, or is not JSON (BigInt or a cycle?)`)
  }

  function serializeRecords(project: Project): Serialize {
    return withOwnError((data) => {
      if (Array.isArray(data)) return toText(data.map(project))
      const records = recordsOf(data)
      if (records === undefined) return toText(project(data) ?? {})
      // A `toJSON` of the page would give its records once more, and not by the schema.
      return toText({ ...(data as object), toJSON: undefined, data: records.map(project) })
    }, `${name}: the result is not JSON (BigInt or a cycle?)`)
  }

  /** The records of a page, which tells a number beside them. */
  function recordsOf(result: unknown): unknown[] | undefined {
    const { data, total, limit, skip } = answersPages(method) ? Object(result) : ({} as Record<string, unknown>)
    const isPage =
      Array.isArray(data) &&
      [total, limit, skip].some((count) => typeof count === 'number' || typeof count === 'bigint')
    return isPage ? data : undefined
  }
}

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
