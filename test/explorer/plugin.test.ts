import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import explorer, { type ExplorerOptions } from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'

async function open(t: Test, options: ExplorerOptions = {}, fastify: object = {}): Promise<FastifyInstance> {
  const app = Fastify(fastify)
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Test', version: '1.0.0' } }))
  await app.register(services)
  await app.register(explorer, options)
  app.service('posts', { find: async () => [] })
  return app
}

const policyOf = (headers: object) =>
  new Map(
    String((headers as Record<string, unknown>)['content-security-policy'])
      .split('; ')
      .map((directive) => directive.split(/ (.*)/) as [string, string])
  )

t.test('nothing is served unless it is registered', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  t.equal((await app.inject('/explorer')).statusCode, 404)
})

t.test('one page, with the document that it shows', async (t) => {
  const app = await open(t)
  for (const url of ['/explorer', '/explorer/']) {
    const { statusCode, headers, body } = await app.inject(url)
    t.equal(statusCode, 200)
    t.match(headers, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff'
    })
    const { 'script-src': script, 'style-src': style, ...policy } = Object.fromEntries(policyOf(headers))
    for (const hash of [script, style]) t.match(hash, /^'sha256-[\w+/]{43}='$/)
    t.strictSame(policy, {
      'default-src': "'none'",
      'connect-src': "'self'",
      'img-src': 'data: blob:',
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'"
    })
    t.match(body, /^<!DOCTYPE html>/)
    t.notMatch(body, /<[^>]+\s(src|style|on\w+)=/, 'it loads nothing, and has no code or style in attributes')
  }
  const { statusCode, body } = await app.inject('/explorer/document.json')
  t.equal(statusCode, 200)
  const document = JSON.parse(body)
  t.same(document, app.swagger())
  t.strictSame(Object.keys(document.paths), ['/posts'], 'it is not in the document itself')
})

t.test('its policy allows its own script and style, and nothing else', async (t) => {
  const app = await open(t, { title: `<script>"'&$&` })
  const { headers, body } = await app.inject('/explorer')
  const policy = policyOf(headers)
  for (const name of ['script', 'style']) {
    const elements = [...body.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(
      ([, content]) => content as string
    )
    t.equal(elements.length, 1)
    const hashes = elements.map((content) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`)
    t.equal(policy.get(`${name}-src`), hashes.join(' '))
  }
  t.match(Object.fromEntries(policy), {
    'default-src': "'none'",
    'connect-src': "'self'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'"
  })
  t.match(body, '<title>&lt;script&gt;&quot;&#39;&amp;$&amp;</title>')
})

t.test('it is 48 kB at most, as gzip leaves it', async (t) => {
  const { rawPayload } = await (await open(t)).inject('/explorer')
  const size = gzipSync(rawPayload, { level: 9 }).length
  t.ok(size <= 48_000, `${size} bytes`)
})

t.test('it stands where it is told to', async (t) => {
  const app = await open(t, { prefix: '/tools/api' })
  t.equal((await app.inject('/tools/api')).statusCode, 200)
  t.equal((await app.inject('/tools/api/document.json')).statusCode, 200)
  t.equal((await app.inject('/explorer')).statusCode, 404)
  const strict = await open(t, {}, { routerOptions: { ignoreTrailingSlash: true } })
  t.equal((await strict.inject('/explorer/')).statusCode, 200)
})

t.test('hooks of the instance around it guard it', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Test', version: '1.0.0' } }))
  await app.register(async (child) => {
    child.addHook('onRequest', async (_request, reply) => reply.code(401).send('Who are you?'))
    await child.register(explorer)
  })
  for (const url of ['/explorer', '/explorer/document.json']) t.equal((await app.inject(url)).statusCode, 401)
})

t.test('a document from elsewhere', async (t) => {
  for (const [document, connect] of [
    ['/docs/json', "'self'"],
    ['https://api.example/openapi.json?a="b"', "'self' https://api.example"]
  ] as const) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(explorer, { document })
    const { headers, body } = await app.inject('/explorer')
    t.equal(policyOf(headers).get('connect-src'), connect)
    t.match(body, `<meta name="document" content="${document.replaceAll('"', '&quot;')}">`)
    t.equal((await app.inject('/explorer/document.json')).statusCode, 404)
  }
})

t.test('what can not work is refused at the start, and says what to do', async (t) => {
  const start = async (options: object) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(explorer, options)
    await app.ready()
  }
  await t.rejects(start({}), { message: /no document to show: register @fastify\/swagger/ })
  await t.rejects(start({ titel: 'x' }), { message: /no option 'titel'.*Did you mean 'title'\?/ })
  await t.rejects(start({ title: 7 }), { message: /^The option `title` of the explorer must be a string, got 7$/ })
  for (const document of ['javascript:alert(1)', 'http://', 'data:,{}'])
    await t.rejects(start({ document }), { message: /must be the address of a document/ })
  await t.rejects(start({ document: '/a.json', home: 'javascript:alert(1)' }), {
    message: /^The option `home` of the explorer must be the address of a page, got 'javascript:alert\(1\)'$/
  })
  await t.resolves(start({ document: '/a.json', logLevel: 'warn' }))
})

t.test('services at the root, and headers of others, are no obstacle', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook(
    'onRequest',
    async (_request, reply) => void reply.header('content-security-policy', "default-src 'self'")
  )
  await app.register(swagger, openapi({ info: { title: 'Test', version: '1.0.0' } }))
  await app.register(services)
  app.service('/', { get: async (id: unknown) => ({ id }) })
  await app.register(explorer)
  const { headers, body } = await app.inject('/explorer')
  t.match(body, /^<!DOCTYPE html>/)
  t.equal(policyOf(headers).get('default-src'), "'none'")
  t.match(await (await app.inject('/a')).json(), { id: 'a' })
})
