import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createHost, request } from '../support/host.js'

const places: [name: string, place: (define: (app: FastifyInstance) => void) => Parameters<typeof createHost>[1]][] = [
  ['before registration', (define) => ({ before: define })],
  ['after it in the same scope', (define) => ({ after: define })],
  [
    'in a plugin registered later',
    (define) => ({
      after: (app) => {
        app.register(async (child) => define(child))
      }
    })
  ]
]

for (const [where, place] of places) {
  t.test(`routes of the host with constraints of their own, ${where}: both work`, async (t) => {
    const { app, calls } = await createHost(
      t,
      place((app) => {
        app.get('/things', { constraints: { host: 'other.example.com' } }, async () => ({ host: true }))
        app.post('/things', { constraints: { version: '2.0.0' } }, async () => ({ host: true }))
      })
    )
    t.strictSame(
      (await request(app, 'GET', '/things', { headers: { host: 'other.example.com' } })).body,
      { host: true },
      "what the host defines stays the host's"
    )
    t.match((await request(app, 'GET', '/things')).body, { method: 'find' }, 'for every other host it is the service')
    t.strictSame((await request(app, 'POST', '/things', { headers: { 'accept-version': '2.x' } })).body, { host: true })
    t.match((await request(app, 'POST', '/things', { payload: {} })).body, { method: 'create' })
    t.equal(calls.length, 2)
  })
}
