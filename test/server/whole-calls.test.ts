import Fastify, { type InjectOptions } from 'fastify'
import services from 'fastify-services'
import t from 'tap'
import { idName } from '../../lib/core/path.js'
import { routePath } from '../../lib/server/request/arguments.js'
import { isKept } from '../support/kept.js'

const paths = [
  '',
  'things',
  'a/:b/things',
  'by/:id/notes',
  'by/:id/:b',
  ':id',
  'by/:idea/notes',
  'x:id/notes',
  'by/:id-x/notes'
]
const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

const requests: [method: string, url: string, type?: string, body?: string][] = [
  ...['GET', 'DELETE', 'HEAD'].flatMap((verb): [string, string][] => [
    [verb, ''],
    [verb, '/1']
  ]),
  ...['POST', 'PUT', 'PATCH'].flatMap((verb): [string, string, string, string][] =>
    ['', '/1'].map((end) => [verb, end, json, '{"a":1}'])
  ),
  ['POST', '/1/publish', json, '{"a":1}'],
  ['POST', '/1/publish/2/x%20y', json, '"text"'],
  ['POST', '', json, '{"custom":1}']
]

/** A body of each kind. */
const bodies: [type: string | undefined, body: string | undefined][] = [
  [undefined, undefined],
  [json, ''],
  [json, '{}'],
  [json, '[{"a":1},{"b":2}]'],
  [json, '[]'],
  [json, '[1]'],
  [json, 'null'],
  [json, '5'],
  [json, '"a"'],
  ...['Application/JSON', `${json};charset=utf-8`, ` ${json} ; charset=UTF-8`, 'application/vnd.api+json'].map(
    (type): [string, string] => [type, '{"é":"ü"}']
  ),
  [json, '{"__proto__":{"a":1}}'],
  [json, '{"a":{"constructor":{"prototype":{"a":1}}}}'],
  [form, ''],
  [form, 'a=1&b[c]=2&d[]=3&d[]=4'],
  [`${form};charset=utf-8`, 'a=%C3%A9+b'],
  [form, 'a'],
  [form, '&'],
  [form, 'a[b][c][d][e][f][g]=1'],
  [form, `a=${'x'.repeat(200)}`],
  [json, `"${'x'.repeat(198)}"`],
  [json, `"${'x'.repeat(199)}"`],
  ['text/plain', 'a'],
  ['text/csv', 'a,b'],
  ['multipart/form-data; boundary=x', '--x--'],
  ['application/xml', '<a>1</a>'],
  ['odd', 'a'],
  ['', 'a'],
  [undefined, 'a']
]

const told = (value: unknown) =>
  value === undefined
    ? 'undefined'
    : typeof value === 'string' && value.length > 100
      ? `${value.length} letters`
      : value

t.test('which arguments a method is called with', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addContentTypeParser('application/xml', { parseAs: 'string' }, (_request, body, done) =>
    done(null, { xml: body })
  )
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const names = ['find', 'get', 'create', 'update', 'patch', 'remove', 'publish', 'many', 'custom']
  const calls: unknown[] = []
  const service = Object.fromEntries(
    names.map((name) => [
      name,
      async (...args: unknown[]) => {
        const params = args.at(-1) as { query: object; route: object; headers: Record<string, string> }
        const keys = Object.keys(params).join(' ')
        const parts = [params.query, params.route, ...(keys === 'query headers route provider' ? [] : [keys])]
        calls.push([name, ...args.slice(0, -1).map(told), ...parts])
        return {}
      }
    ])
  )
  const options = {
    methods: names,
    routes: { publish: 'POST /:id/publish', many: 'POST /:id/publish/:edition/:other' }
  }
  for (const [index, path] of paths.entries())
    await app.register(async (child) => void child.service(path, service, options as never), { prefix: `/p${index}` })
  app.service('limited', service, { bodyLimit: 200, methods: names })
  const rows: Record<string, unknown> = {}
  const ask = async (name: string, options: InjectOptions) => {
    const { statusCode, body } = await app.inject(options)
    rows[name] = [statusCode, ...(statusCode < 300 ? [] : [JSON.parse(body || '{}').message]), ...calls.splice(0)]
  }
  for (const [index, path] of paths.slice(0, 6).entries())
    for (const [verb, end, type, body] of requests) {
      const at = `/p${index}/${path.replaceAll(/:\w+/g, 'v%2Fé')}`.replace(/\/$/, '')
      const isCustom = body?.includes('custom')
      const headers = { ...(type && { 'content-type': type }), ...(isCustom && { 'x-service-method': 'custom' }) }
      const url = `${at}${end}?q[a]=1`
      await ask(`${path}: ${verb} ${end}${isCustom ? ' custom' : ''}`, {
        method: verb as 'GET',
        url,
        headers,
        ...(body && { payload: body })
      })
    }
  for (const [type, body] of bodies)
    for (const [verb, url, custom] of [
      ['POST', '/limited'],
      ['PATCH', '/limited/1'],
      ['POST', '/limited', 'custom'],
      ['DELETE', '/limited/1']
    ] as const) {
      const headers = {
        ...(type !== undefined && { 'content-type': type }),
        ...(custom && { 'x-service-method': custom })
      }
      const short = body !== undefined && body.length > 100 ? `${body.length} bytes` : body
      await ask(`${verb} ${custom ?? ''} ${type} ${short}`, {
        method: verb,
        url,
        headers,
        ...(body !== undefined && { payload: body })
      })
    }
  for (const path of paths)
    rows[`names at ${path}`] = [
      idName(path),
      ...[':id', '', ':id/publish', 'a/:ids/:id', ':idx'].map((one) => routePath(path, one))
    ]
  isKept(t, rows, 'test/server/whole-calls.txt')
})

t.test('bodies on a host with parsers of its own', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const types = [json, form, 'text/plain', 'application/xml']
  for (const type of types)
    app.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, { host: type, body }))
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const echo = async (data: unknown) => ({ got: told(data) })
  app.service('things', { create: echo, publish: echo }, { methods: ['create', 'publish'] })
  app.post('/own', async ({ body }) => ({ got: told(body) }))
  const rows: Record<string, unknown> = {}
  for (const type of types)
    for (const payload of ['{"a":1}', 'a[b]=1', ''])
      for (const [url, name] of [
        ['/things', ''],
        ['/things', 'publish'],
        ['/own', '']
      ] as const) {
        const headers = { 'content-type': type, ...(name && { 'x-service-method': name }) }
        const { statusCode, body } = await app.inject({ method: 'POST', url, headers, payload })
        const { got, message } = JSON.parse(body)
        // What V8 says of JSON is its own.
        rows[`${url} ${name} ${type} ${payload}`] =
          statusCode < 300 ? got : [statusCode, /JSON/.test(message) ? 'no JSON' : message]
      }
  isKept(t, rows, 'test/server/whole-parsed.txt')
})
