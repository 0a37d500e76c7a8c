import type { FastifyInstance, FastifySchema } from 'fastify'
import { methods } from '../../core/methods.js'
import { once } from '../../core/objects.js'
import { type RecordRules, rulesOf } from '../../core/resource/method-rules.js'
import type { RecordView } from '../../core/service-meta.js'
import { hasOwnCompiler } from '../request/schema.js'
import { createErrorRedactor, createProjector, createResultReader } from './project.js'
import { createSerializer, type ReplyFormat, type Serialize } from './serializer.js'

/**
 * Creates the view of the records of a service for the answers of another one, such as the user in
 * the answer to a login: as `get` answers them.
 *
 * @param path of the service
 * @param schema of `get`
 * @param record of its resource
 * @returns `undefined` if `get` answers its results as they are
 */
export function createRecordView(
  path: string,
  schema: FastifySchema | undefined,
  record: RecordRules | undefined,
  instance: FastifyInstance
): RecordView | undefined {
  if (record === undefined && schema?.response === undefined) return undefined
  const label = `${path || '/'}.get`
  const definition = methods.get('get') as NonNullable<ReturnType<typeof methods.get>>
  if (record !== undefined) {
    const viewOf = once(() => {
      const projector = createProjector(label, definition, rulesOf(schema), record)
      const read = createResultReader(label)
      return (result: unknown) => projector.project(read(result))
    })
    return { project: (result) => viewOf()(result), redactError: createErrorRedactor(record) }
  }
  // An `onRoute` hook may change the schema of the route, and Fastify sets a compiler at its start.
  const written: FastifySchema = { ...schema }
  const hasCompiler = hasOwnCompiler(written, instance)
  const format: ReplyFormat = {
    statusCode: 200,
    getHeader: () => undefined,
    compileSerializationSchema(response) {
      const compile = instance.serializerCompiler as (route: object) => Serialize
      return compile({ schema: response, httpStatus: '200', method: 'GET', url: `/${path}` })
    }
  }
  const serializeOf = once(() => createSerializer(label, definition, written, hasCompiler)(format))
  return { project: (result) => parseExactly(serializeOf()(result)), redactError: (error) => error }
}

/** Parses JSON. An integer that a number can't hold was a `BigInt`, and becomes a string. */
function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  const exact = text.replace(/"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) && String(BigInt(Number(token))) !== token ? `"${token}"` : token
  )
  return JSON.parse(exact)
}
