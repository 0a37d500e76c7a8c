import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import compress from '@fastify/compress'
import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import t, { type Test } from 'tap'
import { createHost, request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

const tooLarge = { status: 413, body: { name: 'PayloadTooLarge', code: 413, className: 'payload-too-large' } }

t.test('a field that Fastify does not let in is named, where the body is JSON', async (t) => {
  const { app, calls } = await createHost(t)
  const headers = { 'content-type': 'application/json' }
  const answer = await request(app, 'POST', '/things', { headers, payload: '{"__proto__":{}}' })
  t.match(answer, { status: 400, body: { message: /has a field `__proto__` or .* not allowed$/ } })
  t.strictSame(calls, [])
})

t.test('body over the limit: 413 PayloadTooLarge, by the `bodyLimit` of the host', async (t) => {
  const { app, calls } = await createHost(t, { server: { bodyLimit: 100 } })
  t.match(await request(app, 'POST', '/things', { payload: { text: 'x'.repeat(100) } }), tooLarge)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  t.match(await request(app, 'POST', '/things', { headers, payload: `text=${'x'.repeat(100)}` }), tooLarge)
  t.strictSame(calls, [])
  t.equal((await request(app, 'POST', '/things', { payload: { text: 'x' } })).status, 201)
})

t.test('body over the limit: 413, by the option `bodyLimit` of a service, which may be wider too', async (t) => {
  const { app } = await createHost(t, {
    server: { bodyLimit: 100 },
    after: (app) => {
      app.service('narrow', createRecorder().service, { bodyLimit: 20 })
      app.service('wide', createRecorder().service, { bodyLimit: 1000 })
    }
  })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [url, length, status] of [
    ['/narrow', 30, 413],
    ['/things', 30, 201],
    ['/things', 200, 413],
    ['/wide', 200, 201]
  ] as const) {
    t.equal(
      (await request(app, 'POST', url, { payload: { a: 'x'.repeat(length) } })).status,
      status,
      `${url} ${length}`
    )
    t.equal(
      (await request(app, 'POST', url, { headers: form, payload: `a=${'x'.repeat(length)}` })).status,
      status,
      `${url} ${length} form`
    )
  }
})

async function answer(t: Test, result: unknown, type?: string) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const hook = (context: HookContext) => {
    if (type !== undefined) context.http.headers = { 'Content-Type': type }
  }
  app.service('things', { find: async () => result }, { hooks: { after: { find: hook } } })
  const { headers, body } = await app.inject('/things')
  return [headers['content-type'], body]
}

t.test('`context.http.headers` become headers: a `Content-Type` among them', async (t) => {
  t.strictSame(await answer(t, { a: 1 }, 'application/vnd.api+json'), ['application/vnd.api+json', '{"a":1}'])
  t.strictSame(await answer(t, 'a', 'application/vnd.api+json'), ['application/vnd.api+json; charset=utf-8', '"a"'])
  t.strictSame(await answer(t, 'a,b', 'text/csv'), ['text/csv', 'a,b'])
  t.strictSame(await answer(t, 'a,b'), ['application/json; charset=utf-8', '"a,b"'])
})

t.test(
  'a `Response` of fetch, whose body is decoded already, keeps its headers but those of the encoding',
  async (t) => {
    const upstream = createServer((_request, response) => {
      const body = gzipSync('{"a":1}')
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': body.length
      })
      response.end(body)
    }).listen(0)
    t.teardown(() => upstream.close())
    const url = `http://localhost:${(upstream.address() as AddressInfo).port}`
    t.strictSame(await answer(t, await fetch(url)), ['application/json', '{"a":1}'])
  }
)

t.test(
  "In the child only JSON and urlencoded are replaced and `text/plain` is dropped; the host's others (XML) stay",
  async (t) => {
    const { app, calls } = await createHost(t, {
      before: (app) => {
        app.addContentTypeParser(['application/xml', 'text/xml'], { parseAs: 'string' }, (_request, body, done) => {
          done(null, { xml: body })
        })
        app.addContentTypeParser(/^application\/vnd\..+\+json$/, { parseAs: 'string' }, (_request, body, done) => {
          done(null, JSON.parse(`${body}`))
        })
        app.post('/own', async ({ body }) => body)
      }
    })
    for (const [type, payload, data] of [
      ['application/xml', '<a/>', { xml: '<a/>' }],
      ['text/xml', '<b/>', { xml: '<b/>' }],
      ['application/vnd.acme+json', '{"a":1}', { a: 1 }]
    ] as const) {
      const options = { headers: { 'content-type': type }, payload }
      t.strictSame((await request(app, 'POST', '/own', options)).body, data)
      t.equal((await request(app, 'POST', '/things', options)).status, 201)
      t.strictSame(calls.at(-1)?.args, [data])
    }
  }
)

t.test('`text/plain` is 415 at a service, also where the host parses it', async (t) => {
  for (const parser of [false, true]) {
    const { app, calls } = await createHost(t, {
      before: (app) => {
        if (parser)
          app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => {
            done(null, { plain: body })
          })
        app.post('/own', async ({ body }) => ({ body }))
      }
    })
    const options = { headers: { 'content-type': 'text/plain' }, payload: 'words' }
    t.match(await request(app, 'POST', '/things', options), {
      status: 415,
      body: { name: 'UnsupportedMediaType', code: 415, className: 'unsupported-media-type' }
    })
    t.strictSame((await request(app, 'POST', '/own', options)).body, { body: parser ? { plain: 'words' } : 'words' })
    t.strictSame(calls, [])
  }
})

t.test("a host's own JSON and urlencoded parsers stay with its routes, the service has ours", async (t) => {
  const { app, calls } = await createHost(t, {
    before: (app) => {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, _body, done) => {
        done(null, { mine: 'json' })
      })
      app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (_request, _body, done) => {
        done(null, { mine: 'form' })
      })
      app.post('/own', async ({ body }) => body)
    }
  })
  for (const [type, payload, mine] of [
    ['application/json', '{"a":{"b":"1"}}', 'json'],
    ['application/x-www-form-urlencoded', 'a[b]=1', 'form']
  ] as const) {
    const options = { headers: { 'content-type': type }, payload }
    t.strictSame((await request(app, 'POST', '/own', options)).body, { mine })
    await request(app, 'POST', '/things', options)
    t.strictSame(calls.at(-1)?.args, [{ a: { b: '1' } }])
  }
})

t.test('a host without any parser, and one that has a parser for everything', async (t) => {
  const none = await createHost(t, {
    before: (app) => {
      app.removeAllContentTypeParsers()
    }
  })
  t.equal((await request(none.app, 'POST', '/things', { payload: { a: 1 } })).status, 201)
  t.equal(
    (await request(none.app, 'POST', '/things', { headers: { 'content-type': 'a/b' }, payload: 'x' })).status,
    415
  )
  const all = await createHost(t, {
    before: (app) => {
      app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
        done(null, { any: body })
      })
    }
  })
  t.equal((await request(all.app, 'POST', '/things', { payload: { a: 1 } })).status, 201)
  t.strictSame(all.calls.at(-1)?.args, [{ a: 1 }], 'JSON and urlencoded are ours all the same')
  t.equal((await request(all.app, 'POST', '/things', { headers: { 'content-type': 'a/b' }, payload: 'x' })).status, 201)
  t.strictSame(all.calls.at(-1)?.args, [{ any: 'x' }])
})

t.test('a parser that the host adds after the service was registered does not change it', async (t) => {
  const { app, calls } = await createHost(t, {
    after: (app) => {
      app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
        done(null, { mine: body })
      })
      app.post('/own', async ({ body }) => body)
    }
  })
  const options = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: 'a[b]=1' }
  t.strictSame((await request(app, 'POST', '/own', options)).body, { mine: 'a[b]=1' })
  await request(app, 'POST', '/things', options)
  t.strictSame(calls[0]?.args, [{ a: { b: '1' } }])
})

t.test(
  'a compressed body is 415 in words, unless @fastify/compress has decoded it; routes of the host stay as they are',
  async (t) => {
    const json = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const bodies = [
      { headers: json, payload: gzipSync('{"a":"1"}') },
      { headers: { ...json, 'content-type': 'application/x-www-form-urlencoded' }, payload: gzipSync('a=1') }
    ]
    const echo = { create: async (data: unknown) => data }
    for (const isDecoded of [false, true]) {
      const app = Fastify()
      t.teardown(() => app.close())
      if (isDecoded) await app.register(compress)
      await app.register(services, { errorHandler: { html: false, logger: false } })
      app.addContentTypeParser(
        'application/octet-stream',
        { parseAs: 'buffer' },
        async (_request: unknown, body: Buffer) => body
      )
      app.service('echo', echo)
      app.post('/raw', async ({ body }) => (Buffer.isBuffer(body) ? body.length : body))
      for (const { headers, payload } of bodies) {
        const response = await app.inject({ method: 'POST', url: '/echo', headers, payload })
        if (isDecoded) t.same(response.json(), { a: '1' })
        else {
          t.match(response.json(), { code: 415, message: /'gzip': send it without/ })
          t.equal(response.headers['accept-encoding'], 'identity')
        }
      }
      const identity = {
        method: 'POST',
        url: '/echo',
        headers: { ...json, 'content-encoding': 'Identity' },
        payload: '{"a":"1"}'
      } as const
      if (!isDecoded) t.same((await app.inject(identity)).json(), { a: '1' })
      const bytes = { headers: { ...json, 'content-type': 'application/octet-stream' }, payload: gzipSync('a') }
      const length = isDecoded ? 1 : bytes.payload.length
      t.same((await app.inject({ method: 'POST', url: '/raw', ...bytes })).json(), length)
      t.equal(
        (await app.inject({ method: 'POST', url: '/echo', ...bytes })).statusCode,
        201,
        'a parser of the application'
      )
    }
  }
)

t.test('answers that refuse a PATCH, and those to OPTIONS, say which formats it may have', async (t) => {
  const { app } = await createHost(t)
  const formats = 'application/json, application/merge-patch+json'
  const patch = (type: string, payload: string) =>
    app.inject({ method: 'PATCH', url: '/things/1', headers: { 'content-type': type }, payload })
  t.match(await patch('text/plain', 'x'), { statusCode: 415, headers: { 'accept-patch': formats } })
  t.match(await patch('application/merge-patch+json', '{"text":null}'), {
    ...{ statusCode: 200, headers: { 'accept-patch': undefined } }
  })
  t.match(await patch('application/json-patch+json', '[{"op":"remove","path":"/text"}]'), { statusCode: 400 })
  t.match(await app.inject({ method: 'OPTIONS', url: '/things/1' }), {
    ...{ statusCode: 405, headers: { allow: /PATCH/, 'accept-patch': formats } }
  })
})
