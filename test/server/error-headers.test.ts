import { BadRequest, type HookContext } from 'fastify-services'
import t from 'tap'
import { type AppOptions, createApp, getJSON } from '../support/response-app.js'

const fail = () => {
  throw new BadRequest('No')
}
const ofResult = { etag: '"1"', 'cache-control': 'max-age=60', 'content-language': 'de', location: '/elsewhere' }
const failingBody = () => new ReadableStream({ pull: (controller) => controller.error(new Error('no disk')) })

const failures: Record<string, Partial<AppOptions>> = {
  'the body of a `Response`': {
    service: { get: async () => new Response(failingBody(), { headers: { ...ofResult, 'set-cookie': 'a=1' } }) }
  },
  'headers of hooks, then after-middleware that throws': {
    options: {
      hooks: {
        after: {
          get: [
            (context: HookContext) => {
              context.http = { headers: ofResult, location: '/there' }
            }
          ]
        }
      },
      after: fail
    }
  },
  'headers of after-middleware, then another that throws': {
    options: { after: [async (_request, reply) => void reply.headers({ ...ofResult, 'set-cookie': 'a=1' }), fail] }
  },
  'headers of a formatter, which throws': {
    options: {
      formatter: (_request, reply) => {
        reply.headers({ ...ofResult, 'set-cookie': ['a=1', 'b=2'] })
        return fail()
      }
    }
  },
  'raw headers of after-middleware, which throws': {
    options: {
      after: async (_request, reply) => {
        for (const [name, value] of Object.entries(ofResult)) reply.raw.setHeader(name, value)
        fail()
      }
    }
  }
}

for (const [name, failure] of Object.entries(failures))
  t.test(`an error carries no header of the result that failed: ${name}`, async (t) => {
    const app = await createApp(t, {
      service: { get: async () => ({ id: 1 }) },
      ...failure,
      options: {
        ...failure.options,
        before: async (_request, reply) => {
          reply.headers({ 'x-before': 'yes', etag: '"before"', 'set-cookie': ['first=1', 'second=2'] })
        }
      }
    })
    const { statusCode, headers } = await getJSON(app, '/things/1')
    t.ok(statusCode >= 400)
    t.match(headers, { 'x-before': 'yes', etag: '"before"', 'content-type': 'application/json; charset=utf-8' })
    t.strictSame([headers['set-cookie']].flat(), ['first=1', 'second=2'])
    for (const one of ['cache-control', 'content-language', 'location']) t.notOk(one in headers, one)
  })

t.test('what the error itself says stays: 406 depends on `Accept`', async (t) => {
  const service = { get: async () => ({ id: 1 }) }
  const formatter: NonNullable<AppOptions['options']>['formatter'] = (_request, reply) =>
    reply.format({ 'text/plain': () => 'x' })
  const app = await createApp(t, { service, options: { formatter } })
  const { statusCode, headers } = await getJSON(app, '/things/1')
  t.equal(statusCode, 406)
  t.match(headers.vary, /Accept/)
})
