import { Readable } from 'node:stream'
import Fastify, { type FastifyError } from 'fastify'
import services, { BadRequest, type HookContext } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'

const cycle: Record<string, unknown> = {}
cycle.self = cycle
const failing = (error: unknown) => ({
  toJSON() {
    throw error
  }
})
const results: Record<string, () => unknown> = {
  bigint: () => ({ id: 1n }),
  cycle: () => cycle,
  'no JSON': () => ({ toJSON: () => undefined }),
  'toJSON that fails': () => failing(new RangeError('of its own')),
  'toJSON that refuses': () => failing(new BadRequest('of its own')),
  'toJSON that throws a text': () => failing('text'),
  'a stream with a bigint': () => Readable.from([{ id: 1n }]),
  'a stream that fails': () => Readable.from([failing(new RangeError('of a record'))])
}
const contexts: Record<string, object> = {
  'a header with a break': { headers: { 'x-bad': 'a\nb' } },
  'a header of no name': { headers: { '': 'a' } },
  'a status that is none': { status: 99 }
}

t.test('the causes that errors keep for those who log them', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const seen: unknown[] = []
  app.addHook('onError', async (_request, _reply, error) => {
    const cause = error.cause as FastifyError | string | undefined
    // What V8 says is its own.
    const told = Object(cause).code ?? (cause instanceof TypeError ? cause.name : cause)
    seen.push([error.name, error.message, told === undefined ? 'no cause' : String(told)])
  })
  const query = (text: string) => {
    if (text !== '') throw new RangeError('Too far')
    return {}
  }
  await app.register(services, { query, errorHandler: { html: false, logger: false } })
  const setHttp = (context: HookContext) => void Object.assign(context.http, contexts[String(context.id)])
  const get = async (id: string) => (results[id] ?? (() => ({ id: 1 })))()
  const hooks = { after: { get: [setHttp] } }
  app.service('plain', { get }, { hooks })
  const response = { 200: { type: 'object', properties: { id: { type: 'integer' }, self: {} } } }
  app.service('schema', { get }, { hooks, schema: { get: { response } } })
  const rows: Record<string, unknown> = {}
  for (const path of ['plain', 'schema'])
    for (const id of [...Object.keys(results), ...Object.keys(contexts), '1?a=1']) {
      await app.inject(`/${path}/${id.replaceAll(' ', '%20')}`)
      rows[`${path}: ${id}`] = seen.splice(0)
    }
  isKept(t, rows, 'test/server/whole-causes.txt')
})
