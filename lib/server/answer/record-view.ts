import type { FastifyInstance, FastifySchema } from 'fastify'
import { methods } from '../../core/methods.js'
import { once } from '../../core/objects.js'
import { type RecordRules, rulesOf } from '../../core/resource/method-rules.js'
import type { RecordView } from '../../core/service-meta.js'
import { answerSerializer } from '../request/resource-route.js'
import { hasOwnCompiler } from '../request/schema.js'
import { createErrorRedactor, createProjector, createResultReader, parseExactly } from './project.js'
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
  // An `onRoute` hook may change the schema of the route, and Fastify sets a compiler at its start.
  const written: FastifySchema = { ...schema }
  const hasCompiler = hasOwnCompiler(written, instance)
  const format: ReplyFormat = {
    statusCode: 200,
    getHeader: () => undefined,
    compileSerializationSchema(response) {
      const rules = rulesOf(written)
      if (rules !== undefined) return answerSerializer(response, rules, instance)
      const compile = instance.serializerCompiler as (route: object) => Serialize
      return compile({ schema: response, httpStatus: '200', method: 'GET', url: `/${path}` })
    }
  }
  const viewOf = once(() => {
    if (record === undefined) {
      const serialize = createSerializer(label, definition, written, hasCompiler)(format)
      return (result: unknown) => parseExactly(serialize(result))
    }
    const projector = createProjector(label, definition, written, record, hasCompiler)(format)
    const read = createResultReader(label)
    return (result: unknown) => projector.project(read(result))
  })
  return {
    project: (result) => viewOf()(result),
    redactError: record === undefined ? (error) => error : createErrorRedactor(record)
  }
}
