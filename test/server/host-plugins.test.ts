import cors from '@fastify/cors'
import formbody from '@fastify/formbody'
import jwt from '@fastify/jwt'
import multipart, {
  type FastifyMultipartAttachFieldsToBodyOptions,
  type FastifyMultipartOptions
} from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createHost, request } from '../support/host.js'

const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: 'a[b]=1&a[b]=2' }

for (const where of ['before', 'after'] as const) {
  t.test(`a host with its own \`@fastify/formbody\`, ${where}: starts, both work`, async (t) => {
    const { app, calls } = await createHost(t, {
      [where]: async (app: FastifyInstance) => {
        await app.register(formbody)
        app.post('/own', async ({ body }) => body)
      }
    })
    t.strictSame((await request(app, 'POST', '/own', form)).body, { 'a[b]': ['1', '2'] }, 'the host has its parser')
    t.equal((await request(app, 'POST', '/things', form)).status, 201)
    t.strictSame(calls[0]?.args, [{ a: { b: ['1', '2'] } }], 'the service ours')
  })

  t.test(`a host with its own \`@fastify/jwt\`, ${where}: starts, both work`, async (t) => {
    const { app, calls } = await createHost(t, {
      [where]: async (app: FastifyInstance) => {
        await app.register(jwt, { secret: 'a secret that is long enough for HS256' })
        app.get('/own', async (request) => request.jwtVerify())
        app.addHook('preHandler', async (request) => {
          if (request.headers.authorization) request.feathers.user = await request.jwtVerify()
        })
      }
    })
    const headers = { authorization: `Bearer ${app.jwt.sign({ name: 'ada' }, { noTimestamp: true })}` }
    t.strictSame((await request(app, 'GET', '/own', { headers })).body, { name: 'ada' })
    t.equal((await request(app, 'GET', '/own')).status, 401)
    t.equal((await request(app, 'GET', '/things')).status, 200)
    if (where === 'before') {
      t.equal((await request(app, 'GET', '/things', { headers })).status, 200)
      t.strictSame(calls.at(-1)?.params.user, { name: 'ada' })
      t.match(await request(app, 'GET', '/things', { headers: { authorization: 'Bearer x' } }), {
        status: 401,
        body: { name: 'NotAuthenticated', code: 401 }
      })
    }
  })

  t.test(`a host with its own \`@fastify/multipart\`, ${where}: starts, both work`, async (t) => {
    const { app, calls } = await createHost(t, {
      [where]: async (app: FastifyInstance) => {
        await app.register(multipart)
        app.post('/own', async (request) => {
          const file = await request.file()
          return { name: file?.filename, text: `${await file?.toBuffer()}` }
        })
      }
    })
    const { headers, payload } = upload()
    t.strictSame((await request(app, 'POST', '/own', { headers, payload })).body, { name: 'a.txt', text: 'hello' })
    t.equal((await request(app, 'POST', '/things', { payload: { a: 1 } })).status, 201)
    t.strictSame(
      calls.map(({ args }) => args),
      [[{ a: 1 }]]
    )
  })
}

function upload() {
  const payload = [
    '--x',
    'Content-Disposition: form-data; name="title"',
    '',
    'Greeting',
    '--x',
    'Content-Disposition: form-data; name="doc"; filename="a.txt"',
    'Content-Type: text/plain',
    '',
    'hello',
    '--x--',
    ''
  ].join('\r\n')
  return { headers: { 'content-type': 'multipart/form-data; boundary=x' }, payload }
}

t.test(
  'multipart at a service: the fields are the data where the host attaches them, else there is no data',
  async (t) => {
    const create = (options: FastifyMultipartOptions | FastifyMultipartAttachFieldsToBodyOptions) =>
      createHost(t, {
        before: async (app) => {
          await app.register(multipart, options)
        }
      })
    const attached = await create({ attachFieldsToBody: 'keyValues' })
    t.equal((await request(attached.app, 'POST', '/things', upload())).status, 201)
    t.match(attached.calls[0]?.args, [{ title: 'Greeting', doc: Buffer.from('hello') }])
    const plain = await create({})
    t.match(await request(plain.app, 'POST', '/things', upload()), {
      status: 400,
      body: { name: 'BadRequest', message: 'No data provided' }
    })
    t.strictSame(plain.calls, [])
  }
)

t.test('all of them at once', async (t) => {
  const { app, calls } = await createHost(t, {
    before: async (app) => {
      await app.register(formbody)
      await app.register(jwt, { secret: 'a secret that is long enough for HS256' })
      await app.register(multipart)
      app.post('/things/:id', async ({ params }) => params)
    }
  })
  t.equal((await request(app, 'POST', '/things', form)).status, 201)
  t.strictSame((await request(app, 'POST', '/things/7')).body, { id: '7' })
  t.strictSame(
    calls.map(({ args }) => args),
    [[{ a: { b: ['1', '2'] } }]]
  )
})

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
