import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import type { Parse } from './query.js'

/**
 * The body parsers of a service's routes: JSON and urlencoded, which stand in for those that the instance inherits. Others of
 * the application (multipart, XML) stay.
 */
export async function registerBodyParsers(instance: FastifyInstance, parse: Parse): Promise<void> {
  instance.removeContentTypeParser(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])
  const json = instance.getDefaultJsonParser('error', 'error')
  instance.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Clients name the content type for calls without a body too: that is no error by itself.
    if (body.length === 0) done(null, undefined)
    else json(request, body, done)
  })
  await instance.register(formbody, {
    parser: (text) => (text === '' ? undefined : parse(text)) as Record<string, unknown>
  })
}
