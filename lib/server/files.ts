import type { FastifyInstance, FastifySchema, preParsingAsyncHookHandler, preValidationHookHandler } from 'fastify'
import type { JsonSchema } from '../../types/resource.js'
import { attempt } from '../core/errors.js'
import { isMultipart } from '../core/media-type.js'
import { checkFiles, filesOf, withoutFiles } from '../core/resource/files.js'
import { standardOf, toJsonSchema } from '../core/resource/json-schema.js'
import { readForm } from './form.js'
import type { Parse } from './query.js'

/**
 * What a route has whose body has files: it reads a form before the body is validated, checks the files, and leaves the rest to the schema. Nothing for others.
 *
 * @param name of the method, as in `pictures.create`
 * @throws when `@fastify/multipart` is missing
 */
export function fileRoute(name: string, schema: FastifySchema | undefined, instance: FastifyInstance, parse: Parse) {
  const { body } = schema ?? {}
  const isLibrary = standardOf(body) !== undefined
  const json = ((isLibrary ? attempt(() => toJsonSchema(body, 'input').document) : body) ?? {}) as JsonSchema
  const files = filesOf(json)
  if (files.size === 0) return undefined
  if (!instance.hasRequestDecorator('parts') || !instance.hasContentTypeParser('multipart/form-data'))
    throw new Error(
      `${name} takes files (${[...files.keys()].join(', ')}): register @fastify/multipart before the service, ` +
        'by `await app.register(multipart)`'
    )
  const forms = new WeakMap<object, unknown>()
  const read: preParsingAsyncHookHandler = async (request, reply) => {
    if (!isMultipart(String(request.headers['content-type']))) return
    forms.set(request, await readForm(request, reply, files, parse))
  }
  const check: preValidationHookHandler = (request, _reply, done) => {
    if (forms.has(request)) request.body = forms.get(request)
    checkFiles(files, request.body)
    done()
  }
  // A library knows files itself.
  const own = { ...schema, ...(!isLibrary && { body: withoutFiles(json) }) }
  return { read, check, schema: { consumes: ['multipart/form-data'], ...own } as FastifySchema }
}
