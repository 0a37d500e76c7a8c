import type { FastifyInstance, FastifyReply, FastifySchema } from 'fastify'
import { withoutContent } from '../../core/content.js'
import { attempt, GeneralError } from '../../core/errors.js'
import type { MethodDefinition } from '../../core/methods.js'
import { recordsOfPage } from '../../core/page.js'
import { rulesOf } from '../../core/resource/method-rules.js'
import { scalarOf } from '../../schema/project.js'
import { resolveToJson } from '../../schema/to-json.js'
import { answersPages, hasContentTypes, hasOwnCompiler, listOf, responses, type Schema } from '../request/schema.js'

/** Turns data into JSON. @throws {GeneralError} when that is not possible */
export type Serialize = (data: unknown) => string

/** Returns the function that serializes the data of a reply. */
export type Serializer = (reply: FastifyReply) => Serialize

/**
 * Makes what reads a result throw an error of ours alone: V8's messages about values that it can't
 * serialize reveal internals of the server, and a `toJSON` may throw anything.
 */
export function withOwnError<T>(
  read: (data: unknown) => T | undefined,
  message = 'The result is not JSON (BigInt or a cycle?)',
  messageFor?: (error: unknown) => string | undefined
): (data: unknown) => T {
  return (data) => {
    try {
      const value = read(data)
      if (value !== undefined) return value
    } catch (error) {
      throw new GeneralError(messageFor?.(error) ?? message, undefined, { cause: error })
    }
    throw new GeneralError(message)
  }
}

const withoutSchema = (name: string) =>
  withOwnError<string>(JSON.stringify, `${name}: the result is not JSON (BigInt or a cycle?)`)

/** Makes what serializes by no schema. `name` is that of the method, with its service. */
export function createStringify(name: string): Serializer {
  const serialize = withoutSchema(name)
  return () => serialize
}

/** Gives the schema of an answer, by its status and its type. */
export function answerSchemas(schema: FastifySchema): (reply: FastifyReply) => Schema | undefined {
  const byStatus = responses(schema)
  const isOfResource = rulesOf(schema) !== undefined
  return (reply) => {
    const status = String(reply.statusCode)
    // What a resource does not name does not leave with a redirect, either.
    const other = byStatus.get('default') ?? (isOfResource ? byStatus.get('2xx') : undefined)
    const answer = byStatus.get(status) ?? byStatus.get(`${status[0]}xx`) ?? other
    return withoutContent(answer, String(reply.getHeader('content-type')))
  }
}

/**
 * Keeps what is made for the schema of an answer: it is the same for each status, and each type,
 * that has this schema.
 */
export function forAnswers<T>(schema: FastifySchema, create: (reply: FastifyReply, answer: Schema | undefined) => T) {
  const answerOf = answerSchemas(schema)
  const hasTypes = hasContentTypes(responses(schema).values())
  const entries = new Map<unknown, { readonly value: T }>()
  return (reply: FastifyReply): T => {
    const ready = hasTypes ? undefined : entries.get(reply.statusCode)
    if (ready !== undefined) return ready.value
    const answer = answerOf(reply)
    const entry = entries.get(answer) ?? { value: create(reply, answer) }
    entries.set(answer, entry)
    if (!hasTypes) entries.set(reply.statusCode, entry)
    return entry.value
  }
}

/**
 * Serializes by the response schema of a method, which describes one record: each record of a list,
 * a page or a batch. What is made for a status is kept.
 */
export function createSerializer(
  name: string,
  method: MethodDefinition,
  schema: FastifySchema,
  instance: FastifyInstance
): Serializer {
  const compile = compilerOf(name, method, schema, instance)
  return forAnswers(schema, (reply, answer) => (answer === undefined ? withoutSchema(name) : compile(reply, answer)))
}

/** Makes what compiles the schema of an answer. */
export function compilerOf(
  name: string,
  method: MethodDefinition,
  schema: FastifySchema,
  instance: FastifyInstance
): (reply: FastifyReply, answer: Schema) => Serialize {
  // Asked now: when it starts, Fastify sets its own where there is none.
  const hasCompiler = hasOwnCompiler(schema, instance)
  return (reply, answer) => {
    const status = String(reply.statusCode)
    const serializeItem = reply.compileSerializationSchema(answer, status) as Serialize
    // The schema of an application's own compiler may be of any kind, and only few results of `get`
    // are lists. The fields that the options of a resource hide are known by their place in a
    // record.
    const isByRecord = hasCompiler || method.id === true || rulesOf(schema) !== undefined
    const whole = isByRecord ? undefined : listOf(answer)
    const toList =
      whole === undefined
        ? (records: unknown[]) => `[${records.map(serializeItem).join(',')}]`
        : (reply.compileSerializationSchema(whole, status) as Serialize)
    return withOwnError((input) => {
      const data = hasCompiler ? input : resolveToJson(input)
      if (Array.isArray(data)) return toList(data)
      const records = answersPages(method) ? recordsOfPage(data) : undefined
      if (records === undefined) return serializeItem(data)
      const others = JSON.stringify({ ...Object(data), data: undefined }).slice(1, -1)
      return `{${others},"data":${toList(records)}}`
    }, `${name}: the result does not fit the schema of its answers, or is not JSON (BigInt or a cycle?)`)
  }
}

/** JSON, in which a field of any kind may hold a number that only `BigInt` has. */
export function toText(value: unknown): string {
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
