export interface WireRequest {
  readonly verb: string
  readonly url: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** What is compared of an answer. */
export interface WireResponse {
  readonly status: number
  readonly type: string | null
  readonly headers: { readonly [name: string]: string }
  readonly body: unknown
}

const compared = ['location', 'x-thing', 'allow', 'www-authenticate']

/** Sends a request that accepts JSON, unless it says otherwise, and reads what is to be compared. */
export async function send(base: string, { verb, url, headers, body }: WireRequest): Promise<WireResponse> {
  const response = await fetch(base + url, {
    method: verb,
    redirect: 'manual',
    headers: { accept: 'application/json', ...headers },
    body: body === undefined ? null : new TextEncoder().encode(body)
  })
  const text = await response.text()
  const type = response.headers.get('content-type')?.split(';')[0] ?? null
  return {
    status: response.status,
    type,
    headers: Object.fromEntries([...response.headers].filter(([name]) => compared.includes(name))),
    body: type === 'application/json' && text !== '' ? JSON.parse(text) : type === 'text/html' ? 'HTML' : text
  }
}

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const text = { 'content-type': 'text/plain' }

type Send = (url: string, body?: string, headers?: Record<string, string>) => WireRequest
const as =
  (verb: string, type: Record<string, string>): Send =>
  (url, body, headers = type) => ({ verb, url, headers, ...(body !== undefined && { body }) })
const [post, put, patch] = [as('POST', json), as('PUT', json), as('PATCH', json)]
const [get, remove] = [as('GET', {}), as('DELETE', {})]
const custom = (method: string, url: string, body?: string) => post(url, body, { ...json, 'x-service-method': method })

const list = (length: number, item: (index: number) => string) =>
  Array.from({ length }, (_, index) => item(index)).join('&')

/** Requests by name. */
export const requests: Readonly<Record<string, WireRequest>> = {
  find: get('/things'),
  'find with a slash': get('/things/'),
  'find with nested operators': get('/things?status[$ne]=x&$limit=10&$sort[at]=-1&$or[0][a]=1&$or[1][b][$lt]=2'),
  'find with a list': get('/things?$in[]=a&$in[]=b&c=1&c=2'),
  'find with an encoded query': get('/things?a%5Bb%5D=%C3%A4%20%26+1'),
  'find with 20 items': get(`/things?${list(20, (i) => `a[${i}]=${i}`)}`),
  'find with 21 indexed items': get(`/things?${list(21, (i) => `a[${i}]=${i}`)}`),
  'find with 21 items': get(`/things?${list(21, (i) => `a[]=${i}`)}`),
  'find with 6 levels': get('/things?a[b][c][d][e][f]=1'),
  'find with 7 levels': get('/things?a[b][c][d][e][f][g]=1'),
  'find with 1001 parameters': get(`/things?${list(1001, (i) => `p${i}`)}`),
  'find with __proto__': get('/things?__proto__[a]=1&a[__proto__][b]=1&c=1'),
  'find with toString': get('/things?toString=1&hasOwnProperty[a]=1&c=1'),
  'find with values without a name': get('/things?a&b=&=c&&d[]=&e.f=1&g=1,2'),
  'find with broken encoding': get('/things?a=%zz&b=%E0%A4%A&c=%00'),
  'find with a param of the server': get('/things?provider=x&route=y&headers=z'),
  'find with a header': get('/things', undefined, { 'x-test': 'yes' }),
  'find with a header of custom methods': get('/things', undefined, { 'x-service-method': 'archive' }),
  'find under a placeholder': get('/users/a%20b/things'),
  'find under an empty placeholder': get('/users//things'),
  get: get('/things/1?a=1'),
  'get with an encoded id': get('/things/a%2Fb%3Fc%20%C3%A4'),
  'get with a slash': get('/things/1/'),
  'get of a name with dots': get('/things/a.b-c_d~e'),
  'get under a placeholder': get('/users/7/things/9?a=1'),
  'get of __proto__': get('/things/__proto__'),
  'get that answers null': get('/things/null'),
  'get that answers undefined': get('/things/undefined'),
  'get that answers 0': get('/things/zero'),
  'get that answers false': get('/things/false'),
  'get that answers true': get('/things/true'),
  'get that answers a number': get('/things/number'),
  'get that answers a string': get('/things/text'),
  'get that answers an empty list': get('/things/list'),
  'HEAD of a record': { verb: 'HEAD', url: '/things/1' },
  'HEAD of an error': { verb: 'HEAD', url: '/things/missing' },
  'a status of a hook': get('/things/accepted'),
  'a location of a hook': get('/things/moved'),
  'a header of a hook': get('/things/header'),
  'a dispatch of a hook': get('/things/dispatch'),
  create: post('/things?a=1', '{"text":"a","n":1}'),
  'create with a slash': post('/things/', '{"text":"a"}'),
  'create of a list': post('/things', '[{"a":1},{"a":2}]'),
  'create of an empty list': post('/things', '[]'),
  'create of an empty object': post('/things', '{}'),
  'create that answers null': post('/things', '{"nothing":true}'),
  'create with a form': post('/things', 'a[b]=1&a[c][]=2&d=x+y', form),
  'create under a placeholder': post('/users/7/things', '{"a":1}'),
  'create with a charset': post('/things', '{"a":"ä"}', { 'content-type': 'application/json; charset=utf-8' }),
  'create without a body': post('/things', undefined, {}),
  'create with an empty body': post('/things', ''),
  'create of a string': post('/things', '"text"'),
  'create of null': post('/things', 'null'),
  'create of broken JSON': post('/things', '{'),
  'create of plain text': post('/things', 'text', text),
  'create without a type': post('/things', '{"a":1}', {}),
  'create with __proto__': post('/things', '{"__proto__":{"a":1},"b":1}'),
  'create with 1001 parameters': post(
    '/things',
    list(1001, (i) => `p${i}`),
    form
  ),
  'create of a record': post('/things/1', '{"a":1}'),
  update: put('/things/1?a=1', '{"text":"a"}'),
  'update of many': put('/things?a=1', '{"text":"a"}'),
  'update of an empty id': put('/things/', '{"text":"a"}'),
  'update of a list': put('/things/1', '[{"a":1}]'),
  'update of null': put('/things/1', 'null'),
  'update without a body': put('/things/1', undefined, {}),
  'update with a form': put('/things/1', 'a=1', form),
  patch: patch('/things/1?a=1', '{"text":"a"}'),
  'patch of many': patch('/things?a=1', '{"text":"a"}'),
  'patch of an empty id': patch('/things/', '{"text":"a"}'),
  'patch without a body': patch('/things/1', undefined, {}),
  'patch with a header of custom methods': patch('/things/1', '{}', { ...json, 'x-service-method': 'archive' }),
  remove: remove('/things/1?a=1'),
  'remove of many': remove('/things?a=1'),
  'remove of an empty id': remove('/things/'),
  'remove with the type of JSON': remove('/things/1', undefined, json),
  'remove with an empty body': remove('/things/1', '', json),
  'remove with a body': remove('/things/1', '{"a":1}', json),
  'remove that answers null': remove('/things/null'),
  'a custom method': custom('archive', '/things?a=1', '{"a":1}'),
  'a custom method without a body': custom('archive', '/things'),
  'a custom method with a list': custom('archive', '/things', '[1,2]'),
  'a custom method of a record': custom('archive', '/things/1', '{}'),
  'a custom method that is not exposed': custom('hidden', '/things', '{}'),
  'one of the six as a custom method': custom('remove', '/things', '{}'),
  'toString as a custom method': custom('toString', '/things', '{}'),
  'a method that the service lacks': post('/reader', '{"a":1}'),
  'a record of a service without get': get('/reader/1'),
  'remove of a service without remove': remove('/reader/1'),
  OPTIONS: { verb: 'OPTIONS', url: '/things' },
  'an error with data': get('/things/missing'),
  'an error with errors': get('/things/invalid'),
  'an error with a list': get('/things/taken'),
  'a 401': get('/things/login'),
  'a 503': get('/things/down'),
  'an error of JavaScript': get('/things/crash'),
  'an error of a driver': get('/things/driver'),
  'an error for a browser': get('/things/missing', undefined, { accept: 'text/html' }),
  'an error for anybody': get('/things/missing', undefined, { accept: '*/*' }),
  'an error for another JSON': get('/things/missing', undefined, { accept: 'application/hal+json' }),
  'an error for who sends JSON': post('/reader', '{}', { ...json, accept: '*/*' }),
  'no route': get('/nothing?a=1'),
  'no route below a record': get('/things/1/2'),
  'a service path in other case': get('/Things'),
  'a malformed id': get('/things/%zz')
}
