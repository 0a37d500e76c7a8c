import type { FastifyReply, FastifySchema } from 'fastify'
import { type ReplySerializer, serializerOfReply } from '../../compat/reply-serializer.js'
import { withoutContent } from '../../core/content.js'
import { attempt, GeneralError } from '../../core/errors.js'
import type { MethodDefinition } from '../../core/methods.js'
import { recordsOfPage } from '../../core/page.js'
import { scalarOf } from '../../schema/project.js'
import { resolveToJson } from '../../schema/to-json.js'
import { answersPages, hasContentTypes, listOf, responses, type Schema } from '../request/schema.js'

/** Turns data into JSON. @throws {GeneralError} if that is not possible */
export type Serialize = (data: unknown) => string

/** The members of a reply that choose and compile the schema of its data. */
export type ReplyFormat = Pick<FastifyReply, 'statusCode' | 'getHeader' | 'compileSerializationSchema'>

/** Returns the function that serializes the data of a reply. */
export type Serializer = (reply: ReplyFormat) => Serialize

/**
 * Lets a function that reads a result throw safe errors only: V8's messages about values that it
 * can't serialize reveal internals of the server, and a `toJSON` may throw anything.
 */
export function withSafeErrors<T>(
  read: (data: unknown) => T | undefined,
  message = 'The result is not JSON (BigInt or a cycle?)'
): (data: unknown) => T {
  return (data) => {
    try {
      const value = read(data)
      if (value !== undefined) return value
    } catch (cause) {
      throw new GeneralError(message, undefined, { cause })
    }
    throw new GeneralError(message)
  }
}

const createPlainSerialize = (label: string) =>
  withSafeErrors<string>(JSON.stringify, `${label}: the result is not JSON (BigInt or a cycle?)`)

/**
 * Creates the serializer of a method without a schema.
 * @param label of the method, as in `users.create`
 */
export function createPlainSerializer(label: string): Serializer {
  const serialize = createPlainSerialize(label)
  return () => serialize
}

/**
 * Creates the serializer of a method with a response schema, which describes one record. It
 * serializes each record of a list, a page or a batch.
 */
export function createSerializer(
  label: string,
  method: MethodDefinition,
  schema: FastifySchema,
  hasCompiler: boolean
): Serializer {
  const compile = createCompiler(label, method, hasCompiler)
  const responseOf = createResponseFinder(schema)
  const hasTypes = hasContentTypes(responses(schema).values())
  const serializers = new Map<unknown, Serialize>()
  return (reply) => {
    const ready = hasTypes ? undefined : serializers.get(reply.statusCode)
    if (ready !== undefined) return ready
    const response = responseOf(reply)
    const serialize =
      serializers.get(response) ?? (response === undefined ? createPlainSerialize(label) : compile(reply, response))
    serializers.set(response, serialize)
    if (!hasTypes) serializers.set(reply.statusCode, serialize)
    return serialize
  }
}

function createResponseFinder(schema: FastifySchema): (reply: ReplyFormat) => Schema | undefined {
  const byStatus = responses(schema)
  return (reply) => {
    const status = String(reply.statusCode)
    const response = byStatus.get(status) ?? byStatus.get(`${status[0]}xx`) ?? byStatus.get('default')
    return withoutContent(response, String(reply.getHeader('content-type')))
  }
}

/**
 * Creates the function that compiles response schemas of a method.
 * @param hasCompiler whether the application has a serializer compiler, as `hasOwnCompiler` says
 */
function createCompiler(
  label: string,
  method: MethodDefinition,
  hasCompiler: boolean
): (reply: ReplyFormat, response: Schema) => Serialize {
  return (reply, response) => {
    const status = String(reply.statusCode)
    const serializeRecord = reply.compileSerializationSchema(response, status) as Serialize
    // Schemas for a compiler of the application may be of any kind, and `get` rarely returns lists.
    const isByRecord = hasCompiler || method.id === true
    const list = isByRecord ? undefined : listOf(response)
    const serializeList =
      list === undefined
        ? (records: unknown[]) => `[${records.map(serializeRecord).join(',')}]`
        : (reply.compileSerializationSchema(list, status) as Serialize)
    return withSafeErrors((input) => {
      const data = hasCompiler ? input : resolveToJson(input)
      if (Array.isArray(data)) return serializeList(data)
      const records = answersPages(method) ? recordsOfPage(data) : undefined
      if (records === undefined) return serializeRecord(data)
      return `{${fieldsOfPage(data as object)},"data":${serializeList(records)}}`
    }, `${label}: the result does not fit the schema of its answers, or is not JSON (BigInt or a cycle?)`)
  }
}

/** Serializes the fields of a page, without its records and brackets. */
function fieldsOfPage(page: object): string {
  const { total, limit, skip } = page as Record<string, unknown>
  const names = Object.keys(page)
  // Most pages have these alone, and `JSON.stringify` takes ten times as long.
  if (names.length === 4 && names.includes('data') && [total, limit, skip].every(Number.isSafeInteger))
    return `"total":${total},"limit":${limit},"skip":${skip}`
  return JSON.stringify({ ...page, data: undefined }).slice(1, -1)
}

/** Serializes a value in which fields of any kind may hold a `BigInt`. */
export function stringifyExactly(value: unknown): string {
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

/**
 * Lets a reply serialize its result. If the application has set a serializer, such as one for
 * MessagePack, that one gets the redacted data. A `preSerialization` hook may still set one: no
 * public property tells what hooks have set, so `reply.serializer()` is replaced.
 *
 * @param custom the serializer that the application has set
 */
export function setSerializer(reply: FastifyReply, serialize: Serialize, custom: ReplySerializer | undefined): void {
  const redacted = (encode: ReplySerializer | undefined) => {
    if (encode === undefined) return serialize
    return (payload: unknown) => {
      const data: unknown = JSON.parse(serialize(payload))
      try {
        return encode(data)
      } catch (cause) {
        throw new GeneralError('A serializer of the application has failed', undefined, { cause })
      }
    }
  }
  reply.serializer(redacted(custom))
  const { serializer } = reply
  reply.serializer = (encode: ReplySerializer | null) => serializer.call(reply, redacted(encode ?? undefined))
}

/** Undoes `setSerializer` for `reply.serializer()`: what follows is no result. */
export function releaseSerializer(reply: FastifyReply): void {
  if (Object.hasOwn(reply, 'serializer')) delete (reply as Partial<FastifyReply>).serializer
}

/** Removes the serializer of the application, since the content has another type. */
export function resetSerializer(reply: FastifyReply): void {
  releaseSerializer(reply)
  if (serializerOfReply(reply) !== undefined) reply.serializer(null as unknown as ReplySerializer)
}
