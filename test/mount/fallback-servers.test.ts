import { once } from 'node:events'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import cors from '@fastify/cors'
import services from 'fastify-services'
import mounted from 'fastify-services/feathers'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, createWarnings, mirror, type Theirs } from '../support/mounted-app.js'
import { onExpress, onKoa } from '../support/mounted-frameworks.js'

const build = (theirs: Theirs) => void theirs.use('things', mirror)
const page = (framework: typeof onKoa) =>
  framework.middleware('page', ({ path, body }) => (path === '/page' ? { page: true, body } : undefined))

t.test('over HTTP/2', async (t) => {
  const server = { http2: true, forceCloseConnections: undefined } as object
  const tag = onKoa.middleware('tag', ({ feathers }) => void Object.assign(feathers, { tag: 'a' }))
  const theirs = onKoa.create({
    build: (theirs) => {
      build(theirs)
      onKoa.around(theirs, 'tagged', mirror, [tag])
    },
    after: [page(onKoa)]
  })
  const app = await createMounted(t, theirs, { fallback: true, server })
  app.addHook('onRequest', async (_request, reply) => void reply.header('x-request', 'a'))
  await app.listen({ port: 0 })
  const session = connect(`http://localhost:${(app.server.address() as AddressInfo).port}`)
  t.teardown(() => session.close())
  const ask = async (method: string, path: string, body?: string) => {
    const stream = session.request({
      ':method': method,
      ':path': path,
      ...(body && { 'content-type': 'application/json', 'content-length': body.length })
    })
    stream.end(body)
    const [headers] = (await once(stream, 'response')) as [Record<string, string>]
    return {
      status: headers[':status'],
      header: headers['x-request'],
      body: String(Buffer.concat(await stream.toArray()))
    }
  }
  t.same(await ask('POST', '/page', '{"a":1}'), { status: 200, header: 'a', body: '{"page":true,"body":{"a":1}}' })
  t.match(await ask('POST', '/tagged', '{"a":1}'), { status: 201, header: 'a', body: /"data":\{"a":1\}.*"tag":"a"/ })
  t.match(await ask('GET', '/things'), { status: 200, header: 'a' })
  t.match(await ask('GET', '/none'), { status: 404, header: 'a' })
  session.close()
  await app.close()
  const express = onExpress.create({ build })
  await t.rejects(createMounted(t, express, { fallback: true, server }), {
    message: /Express .* can not do so over HTTP\/2/
  })
})

t.test('sockets get their requests in spite of it, at every address', async (t) => {
  const made = onKoa.create({ build, after: [page(onKoa)] })
  const theirs = Object.assign(made, { channel: () => {} }) as unknown as Theirs & { io?: object }
  const { setup } = theirs
  theirs.setup = async function (this: Theirs, server: import('node:http').Server) {
    theirs.io = { httpServer: server, engine: { close: () => {} }, path: () => '/socket.io' }
    const others = server.listeners('request')
    server.removeAllListeners('request')
    server.on('request', (request, response) => {
      if (request.url?.startsWith('/socket.io/')) response.end('socket')
      else for (const other of others) other.call(server, request, response)
    })
    return setup.call(this, server) as Promise<Theirs>
  } as Theirs['setup']
  const app = await createMounted(t, theirs, { fallback: true })
  await app.listen({ port: 0 })
  t.equal((await app.inject('/socket.io/?a')).body, 'socket')
  t.match(await request(app, 'GET', '/page'), { body: { page: true } })
})

t.test('plugins of Fastify to use instead are named, unless they are there', async (t) => {
  const { cors: theirCors, serveStatic } = await import('@feathersjs/koa')
  const create = () => onKoa.create({ before: [theirCors(), serveStatic('.')], build })
  const warningsOf = async (fallback: boolean, withCors: boolean) => {
    const { warnings, logger } = createWarnings()
    const after = async (app: Parameters<NonNullable<Parameters<typeof createMounted>[2]>['after'] & object>[0]) => {
      if (withCors) await app.register(cors)
    }
    const app = await createMounted(t, create(), { fallback, server: { logger }, after })
    await app.ready()
    return warnings.map((line) => /Use (.+) instead$/.exec(line)?.[1])
  }
  t.same(await warningsOf(false, false), ['@fastify/cors and @fastify/static'])
  t.same(await warningsOf(false, true), ['@fastify/static'])
  t.same(await warningsOf(true, false), ['@fastify/cors'], 'files are served')
  t.same(await warningsOf(true, true), [])
})

for (const framework of [onKoa, onExpress])
  t.test(`${framework.name}: verbs that Fastify does not have, until they are added`, async (t) => {
    for (const isAdded of [false, true]) {
      const { default: Fastify } = await import('fastify')
      const app = Fastify()
      t.teardown(() => app.close())
      if (isAdded) app.addHttpMethod('PROPFIND', { hasBody: true })
      await app.register(services)
      const refuse = async ({ headers }: { headers: object }) => {
        if ('x-wrong' in headers) throw Object.assign(new Error('Refused'), { statusCode: 403 })
      }
      app.addHook('onRequest', refuse)
      await app.register(mounted, {
        app: framework.create({ build, after: [page(framework)] }) as never,
        fallback: true
      })
      const ask = (headers = {}) => request(app, 'PROPFIND' as 'GET', '/page', { headers, payload: { a: 1 } })
      t.match(await ask(), isAdded ? { status: 200, body: { page: true } } : { status: 404 })
      t.equal((await ask({ 'x-wrong': '1' })).status, 403, 'hooks of Fastify run first')
    }
  })

t.test('a content type that is none is refused before the framework reads it', async (t) => {
  const app = await createMounted(t, onKoa.create({ build, after: [page(onKoa)] }), { fallback: true })
  for (const type of ['', 'none'])
    t.equal((await request(app, 'POST', '/page', { headers: { 'content-type': type }, payload: 'a' })).status, 415)
})
