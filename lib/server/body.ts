import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import type { Parse } from './query.js'

/** The types of formats that are written in JSON: `application/vnd.api+json`. */
const jsonOfFormats = /^application\/[^\s;+]+\+json(\s*;|$)/i

/**
 * Registers the body parsers of a service's routes: JSON and urlencoded replace the inherited ones, other parsers of
 * the application (multipart, XML) stay.
 */
export async function registerBodyParsers(instance: FastifyInstance, parse: Parse): Promise<void> {
  instance.removeContentTypeParser(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])
  const json = instance.getDefaultJsonParser('error', 'error')
  for (const type of ['application/json', jsonOfFormats])
    instance.addContentTypeParser<string>(type, { parseAs: 'string' }, (request, body, done) => {
      // Clients send the content type with calls without a body too, which is no error.
      if (body.length === 0) done(null, undefined)
      else json(request, body, done)
    })
  await instance.register(formbody, {
    parser: (text) => (text === '' ? undefined : parse(text)) as Record<string, unknown>
  })
}
