import t from 'tap'
import { requests, send, type WireRequest, type WireResponse } from '../support/interop-requests.js'
import { servers } from '../support/interop-servers.js'

type Other = '@feathersjs/koa' | '@feathersjs/express'
type Expected = { status?: number; type?: string | null; headers?: object; body?: unknown }
type Differences = {
  readonly asks: string
  readonly from: readonly Other[]
  readonly rows: Readonly<Record<string, Expected>>
}

const koa = ['@feathersjs/koa'] as const
const express = ['@feathersjs/express'] as const
const both = [...koa, ...express] as const

const because = (asks: string, from: readonly Other[], rows: Differences['rows']): Differences => ({ asks, from, rows })
const json = (status: number, body: unknown) => ({ status, type: 'application/json', body })
const error = (code: number, className: string, message: unknown) => json(code, { code, className, message })
const notSupported = (method: string, allow: string) => ({
  ...error(405, 'method-not-allowed', `Method \`${method}\` is not supported by this endpoint.`),
  headers: { allow }
})
const all = 'GET, HEAD, POST, PUT, PATCH, DELETE, QUERY'
const object21 = { body: { query: { a: { 0: '0', 20: '20' } } } }
const tooMany = error(400, 'bad-request', /more than 1000 parameters/)
const emptyId = error(400, 'bad-request', /^The id is empty/)
const noData = error(400, 'bad-request', 'No data provided')
const mustBeObject = (position: string, method: string) =>
  error(400, 'bad-request', `${position} parameter for '${method}' must be an object`)
const page = { status: 404, type: 'text/html', body: 'HTML' }
const notFound = (url: string) =>
  json(404, { name: 'NotFound', message: 'Page not found', code: 404, className: 'not-found', data: { url } })

/** What is not the same as on Feathers' servers: the sentence that asks for it, and what is answered in its place. */
const differences: readonly Differences[] = [
  because('`arrayLimit` 20 (a longer array becomes an object with index keys)', express, {
    'find with 21 indexed items': object21,
    'find with 21 items': object21
  }),
  because(
    'More than `parameterLimit` (1000) parameters or more depth than `depth` is 400 BadRequest, never silently cut (**differs**: a cut filter selects more records).',
    both,
    {
      'find with 7 levels': error(400, 'bad-request', /depth/),
      'find with 1001 parameters': tooMany,
      'create with 1001 parameters': tooMany
    }
  ),
  because('Names of `Object.prototype` are dropped, as `qs` does.', express, {
    'find with __proto__': { status: 200, body: { query: { c: '1' } } },
    'find with toString': { status: 200, body: { query: { c: '1' } } }
  }),
  because('`params.route` holds the decoded placeholders of the service path', both, {
    'find under a placeholder': { status: 200, body: { route: { userId: 'a b' } } }
  }),
  because('`id` is the decoded last segment, always a string', both, {
    'get with an encoded id': { status: 200, body: { id: 'a/b?c ä' } }
  }),
  because('`null`, `undefined` and `__proto__` in the URL are just strings.', both, {
    'get of __proto__': { status: 200, body: { id: '__proto__' } }
  }),
  because(
    'Each service method maps to one HTTP method and one path shape (see Endpoints). The mapping is fixed.',
    both,
    { 'get with a slash': notFound('/things/1/') }
  ),
  because('| result `null` or `undefined` | 204, no body |', both, {
    'get that answers undefined': { status: 204, type: null, body: '' }
  }),
  because('a string, number or boolean result is JSON too (`"text"`, `0`, `false`).', both, {
    'get that answers 0': json(200, 0),
    'get that answers false': json(200, false)
  }),
  because('a string, number or boolean result is JSON too (`"text"`, `0`, `false`).', koa, {
    'get that answers a string': json(200, 'text')
  }),
  because('`create`, `update`, `patch` without a body: 400 BadRequest `No data provided`.', both, {
    'create without a body': noData,
    'create with an empty body': noData,
    'update without a body': noData,
    'patch without a body': noData
  }),
  because(
    "400 BadRequest `First parameter for 'create' must be an object` (`Second parameter for 'update' …`).",
    both,
    {
      'create of a string': mustBeObject('First', 'create'),
      'create of null': mustBeObject('First', 'create'),
      'update of a list': mustBeObject('Second', 'update'),
      'update of null': mustBeObject('Second', 'update')
    }
  ),
  because('| `{`, `{"a":NaN}`, trailing junk, `{"__proto__":{}}` | 400 BadRequest |', both, {
    'create of broken JSON': error(400, 'bad-request', /JSON/),
    'create with __proto__': error(400, 'bad-request', /JSON/)
  }),
  because(
    '| `text/plain`, `application/json garbage`, no content type with a body | 415 UnsupportedMediaType |',
    both,
    {
      'create of plain text': error(415, 'unsupported-media-type', /./),
      'create without a type': error(415, 'unsupported-media-type', /./)
    }
  ),
  because(
    '`PUT`, `PATCH`, `DELETE` on `/path/` (an empty id, usually a template bug) are **400**, never the multi form (**differs**: Feathers removes everything)',
    both,
    { 'update of an empty id': emptyId, 'patch of an empty id': emptyId, 'remove of an empty id': emptyId }
  ),
  because(
    '`Content-Type: application/json` with an empty body is no error by itself (`DELETE` and custom methods of real clients send it).',
    both,
    {
      // No data is `undefined`, as everywhere; the body parsers of Feathers make `{}` of it.
      'a custom method without a body': json(200, { archived: undefined, query: {} })
    }
  ),
  because(
    'is **405** with an `Allow` header and the message ``Method `create` is not supported by this endpoint.``',
    both,
    {
      'a custom method that is not exposed': notSupported('hidden', all),
      'one of the six as a custom method': notSupported('remove', all),
      'toString as a custom method': notSupported('toString', all),
      'a custom method of a record': notSupported('archive', 'GET, HEAD, PUT, PATCH, DELETE'),
      'create of a record': notSupported('create', 'GET, HEAD, PUT, PATCH, DELETE'),
      'a method that the service lacks': notSupported('create', 'GET, HEAD, QUERY'),
      'an error for who sends JSON': notSupported('create', 'GET, HEAD, QUERY'),
      'a record of a service without get': notSupported('get', ''),
      'remove of a service without remove': notSupported('remove', ''),
      OPTIONS: notSupported('OPTIONS', all)
    }
  ),
  because('401 carries `WWW-Authenticate: Bearer`.', both, {
    'a 401': { ...error(401, 'not-authenticated', 'Not authenticated'), headers: { 'www-authenticate': 'Bearer' } }
  }),
  because(
    'JSON body: `{ "name", "message", "code", "className", "data"?, "errors"? }`, `code` always a number and equal to the status.',
    koa,
    {
      'an error of JavaScript': error(500, 'general-error', 'boom'),
      'an error of a driver': error(500, 'general-error', 'duplicate')
    }
  ),
  because('otherwise HTML, also for `*/*` and no `Accept`.', both, { 'an error for anybody': page }),
  because('otherwise HTML, also for `*/*` and no `Accept`.', koa, { 'an error for a browser': page }),
  because(
    "- Not found: `{ name: 'NotFound', message: 'Page not found', code: 404, className: 'not-found', data: { url } }`",
    koa,
    {
      'no route': notFound('/nothing?a=1'),
      'no route below a record': notFound('/things/1/2'),
      'a service path in other case': notFound('/Things')
    }
  ),
  because(
    "The router's own 400 (`%zz`) and 414 never reach a plugin: the exported `frameworkErrors` gives them this shape when the host passes it",
    both,
    { 'a malformed id': error(400, 'bad-request', /%zz/) }
  )
]

t.test('the wire is the same as that of Feathers 5 where the contract does not say that it differs', async (t) => {
  const bases: Record<string, string> = {}
  for (const [name, serve] of Object.entries(servers)) bases[name] = await serve(t)
  const ask = (name: string, request: WireRequest): Promise<WireResponse> => send(bases[name] as string, request)

  for (const row of differences.flatMap(({ rows }) => Object.keys(rows))) t.ok(row in requests, `a request: ${row}`)

  for (const [name, request] of Object.entries(requests)) {
    const ours = await ask('fastify-services', request)
    // Services of a mounted application take no QUERY.
    const withoutQuery = JSON.parse(JSON.stringify(ours).replace(', QUERY', ''))
    const mounted = JSON.parse(JSON.stringify(await ask('fastify-services/feathers', request)))
    t.strictSame(mounted, withoutQuery, `${name}: the same on a mounted application`)
    for (const other of both) {
      const theirs = await ask(other, request)
      const listed = differences.filter(({ from, rows }) => from.includes(other) && name in rows)
      if (listed.length === 0) t.strictSame(ours, theirs, `${name}: the same as ${other}`)
      for (const { asks, rows } of listed) {
        t.match(ours, rows[name], `${name}: ${asks}`)
        t.strictNotSame(ours, theirs, `${name}: not the same as ${other}`)
      }
    }
  }
})
