import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createHost, request } from '../support/host.js'

const origin = 'https://app.example.com'
const preflight = {
  headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'x-service-method' }
}

for (const where of ['before', 'after'] as const) {
  t.test(
    `OPTIONS is left to a CORS plugin where there is one (\`@fastify/cors\` ${where} ours): preflight`,
    async (t) => {
      const { app, calls } = await createHost(t, {
        [where]: async (app: FastifyInstance) => {
          await app.register(cors, { origin, methods: ['GET', 'PATCH'] })
        }
      })
      for (const url of ['/things', '/things/1', '/things/', '/nowhere']) {
        const { status, headers, body } = await request(app, 'OPTIONS', url, preflight)
        t.strictSame([status, body], [204, ''], url)
        t.equal(headers['access-control-allow-origin'], origin)
        t.equal(headers['access-control-allow-methods'], 'GET, PATCH')
        t.notOk('allow' in headers)
      }
      t.strictSame(calls, [])
    }
  )

  t.test(
    `answers of a service, and its errors, carry the headers of CORS (\`@fastify/cors\` ${where} ours)`,
    async (t) => {
      const { app } = await createHost(t, {
        [where]: async (app: FastifyInstance) => {
          await app.register(cors, { origin })
        }
      })
      for (const [verb, url, expected] of [
        ['GET', '/things', 200],
        ['DELETE', '/things/', 400],
        ['POST', '/things', 400],
        ['POST', '/things/1', 405],
        ['TRACE', '/things', 405],
        ['GET', '/nowhere', 404]
      ] as const) {
        const { status, headers } = await request(app, verb, url, { headers: { origin } })
        t.strictSame([status, headers['access-control-allow-origin']], [expected, origin], `${verb} ${url}`)
      }
    }
  )
}

t.test('`@fastify/cors` in a context of its own is for the services there', async (t) => {
  const { app } = await createHost(t, {
    after: (app) => {
      app.register(
        async (child) => {
          await child.register(cors, { origin })
          child.service('words', { find: async () => [] })
        },
        { prefix: '/v1' }
      )
    }
  })
  t.equal((await request(app, 'OPTIONS', '/v1/words', preflight)).status, 204)
  t.equal(
    (await request(app, 'GET', '/v1/words', { headers: { origin } })).headers['access-control-allow-origin'],
    origin
  )
  t.equal((await request(app, 'OPTIONS', '/things', preflight)).status, 405)
})

t.test('without its `methods`, `@fastify/cors` lets no browser PUT, PATCH or DELETE', async (t) => {
  const { app } = await createHost(t, {
    before: async (app) => {
      await app.register(cors, { origin })
    }
  })
  const { headers } = await request(app, 'OPTIONS', '/things/1', preflight)
  t.equal(headers['access-control-allow-methods'], 'GET,HEAD,POST')
})
