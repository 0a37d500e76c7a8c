// A program: counts how often guarded calls run each function and block of the library. The argument is
// the number of services. Needs `node --no-opt`, since V8 does not count the calls of optimized code.
import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import authentication, { allow, type Strategy, scope } from 'fastify-services/authentication'
import events from 'fastify-services/events'
import { Type } from 'typebox'
import { root } from '../package/sources.js'

const app = Fastify()
await app.register(services, { hooks: { error: { all: [() => {}], find: [() => {}] } } })
const key: Strategy = {
  parse: ({ headers }) => (headers['x-key'] === undefined ? null : { key: headers['x-key'] }),
  authenticate: () => ({ user: { id: 1, role: 'reader' }, authentication: { payload: { sub: '1' } } })
}
app.service('users', memory())
await app.register(authentication, { strategies: { key }, guard: 'key' })
const schema = resource(Type.Object({ id: Type.Integer({ readOnly: true }), text: Type.String() }))
const names = Array.from({ length: Number(process.argv[2]) }, (_, index) => `notes-${index}`)
for (const name of names)
  app.service(name, memory({ paginate: { default: 10 } }), {
    schema,
    hooks: {
      around: {
        all: [
          allow({ reader: { find: ['id', 'text'], get: ['id', 'text'], create: ['text'] } }),
          scope(() => ({ text: 'Hello' }))
        ]
      },
      error: { all: [() => {}] }
    }
  })
await app.register(events, { services: Object.fromEntries(names.map((name) => [name, true as const])) })
await app.ready()
const headers = { 'x-key': 'x' }
const name = names.at(-1)

async function call(): Promise<void> {
  const answers = [
    await app.inject({ method: 'POST', url: `/${name}`, headers, payload: { text: 'Hello' } }),
    await app.inject({ url: `/${name}?text=Hello`, headers }),
    await app.inject({ url: `/${name}/99`, headers }),
    await app.inject({ url: `/${name}` })
  ]
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [201, 200, 404, 401]
  )
}

for (let count = 0; count < 3; count++) await call()
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
for (let count = 0; count < 5; count++) await call()
const { result } = await session.post('Profiler.takePreciseCoverage')
const library = pathToFileURL(join(root, 'dist/lib/')).href
const counts = result
  .filter(({ url }) => url.startsWith(library))
  .flatMap(({ url, functions }) =>
    functions.flatMap(({ functionName, ranges }) =>
      ranges.map(
        ({ startOffset, count }) => [`${url.slice(library.length)}:${startOffset} ${functionName}`, count] as const
      )
    )
  )
console.log(JSON.stringify(Object.fromEntries(counts.filter(([, count]) => count > 0))))
await app.close()
