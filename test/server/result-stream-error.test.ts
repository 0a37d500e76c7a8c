import { createReadStream } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import type { ServiceOptions } from 'fastify-services'
import t from 'tap'
import { createApp, getJSON } from '../support/response-app.js'

// An error that nobody listens to ends the process, and so the test.
const wait = async () => {
  await new Promise((resolve) => setTimeout(resolve, 20))
}
const failSoon = (objectMode: boolean) => {
  const stream = new PassThrough({ objectMode })
  setImmediate(() => stream.destroy(new Error('no disk')))
  return stream
}
const sources: Record<string, () => unknown> = {
  'a file that is not there': () => createReadStream('/is/not/there'),
  'a stream of bytes': () => failSoon(false),
  'a stream of objects': () => failSoon(true),
  'a web stream': () => Readable.toWeb(failSoon(false)),
  'a `Response`': () => new Response(Readable.toWeb(failSoon(false)) as ReadableStream)
}
const waiting: Record<string, ServiceOptions<Record<string, unknown>>> = {
  'an after hook': { hooks: { after: { get: [wait] } } },
  'an around hook': {
    hooks: {
      around: {
        get: [
          async (_context, next) => {
            await next()
            await wait()
          }
        ]
      }
    }
  },
  'after-middleware': { after: wait },
  'after-middleware with done': { after: (_request, _reply, done) => void wait().then(() => done()) },
  'a formatter': { formatter: async (_request, reply) => wait().then(() => reply.data) },
  'several hooks and middleware': { after: [wait, wait], hooks: { after: { all: [wait], get: [wait] } } }
}

for (const [source, create] of Object.entries(sources))
  for (const [place, options] of Object.entries(waiting))
    t.test(`a source that errors before anyone listens is an error answer: ${source}, ${place} waits`, async (t) => {
      const app = await createApp(t, { service: { get: async () => create() }, options })
      const { statusCode } = await getJSON(app, '/things/1')
      t.equal(statusCode, 500)
    })

t.test('also where the call is one of the server', async (t) => {
  const app = await createApp(t, {
    service: { get: async () => createReadStream('/is/not/there') },
    options: { hooks: { after: { get: [wait] } } }
  })
  const stream = (await app.service('things').get('1')) as Readable
  t.equal((stream.errored as NodeJS.ErrnoException).code, 'ENOENT')
})
