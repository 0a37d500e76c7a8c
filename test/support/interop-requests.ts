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
const list = (length: number, item: (index: number) => string) => Array.from({ length }, (_, index) => item(index)).join('&')

/** Requests by name. */
export const requests: Readonly<Record<string, WireRequest>> = {
  'find': { verb: 'GET', url: '/things' },
  'find with a slash': { verb: 'GET', url: '/things/' },
  'find with nested operators': { verb: 'GET', url: '/things?status[$ne]=x&$limit=10&$sort[at]=-1&$or[0][a]=1&$or[1][b][$lt]=2' },
  'find with a list': { verb: 'GET', url: '/things?$in[]=a&$in[]=b&c=1&c=2' },
  'find with an encoded query': { verb: 'GET', url: '/things?a%5Bb%5D=%C3%A4%20%26+1' },
  'find with 20 items': { verb: 'GET', url: `/things?${list(20, (i) => `a[${i}]=${i}`)}` },
  'find with 21 indexed items': { verb: 'GET', url: `/things?${list(21, (i) => `a[${i}]=${i}`)}` },
  'find with 21 items': { verb: 'GET', url: `/things?${list(21, (i) => `a[]=${i}`)}` },
  'find with 6 levels': { verb: 'GET', url: '/things?a[b][c][d][e][f]=1' },
  'find with 7 levels': { verb: 'GET', url: '/things?a[b][c][d][e][f][g]=1' },
  'find with 1001 parameters': { verb: 'GET', url: `/things?${list(1001, (i) => `p${i}`)}` },
  'find with __proto__': { verb: 'GET', url: '/things?__proto__[a]=1&a[__proto__][b]=1&c=1' },
  'find with toString': { verb: 'GET', url: '/things?toString=1&hasOwnProperty[a]=1&c=1' },
  'find with values without a name': { verb: 'GET', url: '/things?a&b=&=c&&d[]=&e.f=1&g=1,2' },
  'find with broken encoding': { verb: 'GET', url: '/things?a=%zz&b=%E0%A4%A&c=%00' },
  'find with a param of the server': { verb: 'GET', url: '/things?provider=x&route=y&headers=z' },
  'find with a header': { verb: 'GET', url: '/things', headers: { 'x-test': 'yes' } },
  'find with a header of custom methods': { verb: 'GET', url: '/things', headers: { 'x-service-method': 'archive' } },
  'find under a placeholder': { verb: 'GET', url: '/users/a%20b/things' },
  'find under an empty placeholder': { verb: 'GET', url: '/users//things' },
  'get': { verb: 'GET', url: '/things/1?a=1' },
  'get with an encoded id': { verb: 'GET', url: '/things/a%2Fb%3Fc%20%C3%A4' },
  'get with a slash': { verb: 'GET', url: '/things/1/' },
  'get of a name with dots': { verb: 'GET', url: '/things/a.b-c_d~e' },
  'get under a placeholder': { verb: 'GET', url: '/users/7/things/9?a=1' },
  'get of __proto__': { verb: 'GET', url: '/things/__proto__' },
  'get that answers null': { verb: 'GET', url: '/things/null' },
  'get that answers undefined': { verb: 'GET', url: '/things/undefined' },
  'get that answers 0': { verb: 'GET', url: '/things/zero' },
  'get that answers false': { verb: 'GET', url: '/things/false' },
  'get that answers true': { verb: 'GET', url: '/things/true' },
  'get that answers a number': { verb: 'GET', url: '/things/number' },
  'get that answers a string': { verb: 'GET', url: '/things/text' },
  'get that answers an empty list': { verb: 'GET', url: '/things/list' },
  'HEAD of a record': { verb: 'HEAD', url: '/things/1' },
  'HEAD of an error': { verb: 'HEAD', url: '/things/missing' },
  'a status of a hook': { verb: 'GET', url: '/things/accepted' },
  'a location of a hook': { verb: 'GET', url: '/things/moved' },
  'a header of a hook': { verb: 'GET', url: '/things/header' },
  'a dispatch of a hook': { verb: 'GET', url: '/things/dispatch' },
  'create': { verb: 'POST', url: '/things?a=1', headers: json, body: '{"text":"a","n":1}' },
  'create with a slash': { verb: 'POST', url: '/things/', headers: json, body: '{"text":"a"}' },
  'create of a list': { verb: 'POST', url: '/things', headers: json, body: '[{"a":1},{"a":2}]' },
  'create of an empty list': { verb: 'POST', url: '/things', headers: json, body: '[]' },
  'create of an empty object': { verb: 'POST', url: '/things', headers: json, body: '{}' },
  'create that answers null': { verb: 'POST', url: '/things', headers: json, body: '{"nothing":true}' },
  'create with a form': { verb: 'POST', url: '/things', headers: form, body: 'a[b]=1&a[c][]=2&d=x+y' },
  'create under a placeholder': { verb: 'POST', url: '/users/7/things', headers: json, body: '{"a":1}' },
  'create with a charset': { verb: 'POST', url: '/things', headers: { 'content-type': 'application/json; charset=utf-8' }, body: '{"a":"ä"}' },
  'create without a body': { verb: 'POST', url: '/things' },
  'create with an empty body': { verb: 'POST', url: '/things', headers: json, body: '' },
  'create of a string': { verb: 'POST', url: '/things', headers: json, body: '"text"' },
  'create of null': { verb: 'POST', url: '/things', headers: json, body: 'null' },
  'create of broken JSON': { verb: 'POST', url: '/things', headers: json, body: '{' },
  'create of plain text': { verb: 'POST', url: '/things', headers: { 'content-type': 'text/plain' }, body: 'text' },
  'create without a type': { verb: 'POST', url: '/things', body: '{"a":1}' },
  'create with __proto__': { verb: 'POST', url: '/things', headers: json, body: '{"__proto__":{"a":1},"b":1}' },
  'create with 1001 parameters': { verb: 'POST', url: '/things', headers: form, body: list(1001, (i) => `p${i}`) },
  'create of a record': { verb: 'POST', url: '/things/1', headers: json, body: '{"a":1}' },
  'update': { verb: 'PUT', url: '/things/1?a=1', headers: json, body: '{"text":"a"}' },
  'update of many': { verb: 'PUT', url: '/things?a=1', headers: json, body: '{"text":"a"}' },
  'update of an empty id': { verb: 'PUT', url: '/things/', headers: json, body: '{"text":"a"}' },
  'update of a list': { verb: 'PUT', url: '/things/1', headers: json, body: '[{"a":1}]' },
  'update of null': { verb: 'PUT', url: '/things/1', headers: json, body: 'null' },
  'update without a body': { verb: 'PUT', url: '/things/1' },
  'update with a form': { verb: 'PUT', url: '/things/1', headers: form, body: 'a=1' },
  'patch': { verb: 'PATCH', url: '/things/1?a=1', headers: json, body: '{"text":"a"}' },
  'patch of many': { verb: 'PATCH', url: '/things?a=1', headers: json, body: '{"text":"a"}' },
  'patch of an empty id': { verb: 'PATCH', url: '/things/', headers: json, body: '{"text":"a"}' },
  'patch without a body': { verb: 'PATCH', url: '/things/1' },
  'patch with a header of custom methods': { verb: 'PATCH', url: '/things/1', headers: { ...json, 'x-service-method': 'archive' }, body: '{}' },
  'remove': { verb: 'DELETE', url: '/things/1?a=1' },
  'remove of many': { verb: 'DELETE', url: '/things?a=1' },
  'remove of an empty id': { verb: 'DELETE', url: '/things/' },
  'remove with the type of JSON': { verb: 'DELETE', url: '/things/1', headers: json },
  'remove with an empty body': { verb: 'DELETE', url: '/things/1', headers: json, body: '' },
  'remove with a body': { verb: 'DELETE', url: '/things/1', headers: json, body: '{"a":1}' },
  'remove that answers null': { verb: 'DELETE', url: '/things/null' },
  'a custom method': { verb: 'POST', url: '/things?a=1', headers: { ...json, 'x-service-method': 'archive' }, body: '{"a":1}' },
  'a custom method without a body': { verb: 'POST', url: '/things', headers: { ...json, 'x-service-method': 'archive' } },
  'a custom method with a list': { verb: 'POST', url: '/things', headers: { ...json, 'x-service-method': 'archive' }, body: '[1,2]' },
  'a custom method of a record': { verb: 'POST', url: '/things/1', headers: { ...json, 'x-service-method': 'archive' }, body: '{}' },
  'a custom method that is not exposed': { verb: 'POST', url: '/things', headers: { ...json, 'x-service-method': 'hidden' }, body: '{}' },
  'one of the six as a custom method': { verb: 'POST', url: '/things', headers: { ...json, 'x-service-method': 'remove' }, body: '{}' },
  'toString as a custom method': { verb: 'POST', url: '/things', headers: { ...json, 'x-service-method': 'toString' }, body: '{}' },
  'a method that the service lacks': { verb: 'POST', url: '/reader', headers: json, body: '{"a":1}' },
  'a record of a service without get': { verb: 'GET', url: '/reader/1' },
  'remove of a service without remove': { verb: 'DELETE', url: '/reader/1' },
  'OPTIONS': { verb: 'OPTIONS', url: '/things' },
  'an error with data': { verb: 'GET', url: '/things/missing' },
  'an error with errors': { verb: 'GET', url: '/things/invalid' },
  'an error with a list': { verb: 'GET', url: '/things/taken' },
  'a 401': { verb: 'GET', url: '/things/login' },
  'a 503': { verb: 'GET', url: '/things/down' },
  'an error of JavaScript': { verb: 'GET', url: '/things/crash' },
  'an error of a driver': { verb: 'GET', url: '/things/driver' },
  'an error for a browser': { verb: 'GET', url: '/things/missing', headers: { accept: 'text/html' } },
  'an error for anybody': { verb: 'GET', url: '/things/missing', headers: { accept: '*/*' } },
  'an error for another JSON': { verb: 'GET', url: '/things/missing', headers: { accept: 'application/hal+json' } },
  'an error for who sends JSON': { verb: 'POST', url: '/reader', headers: { ...json, accept: '*/*' }, body: '{}' },
  'no route': { verb: 'GET', url: '/nothing?a=1' },
  'no route below a record': { verb: 'GET', url: '/things/1/2' },
  'a service path in other case': { verb: 'GET', url: '/Things' },
  'a malformed id': { verb: 'GET', url: '/things/%zz' }
}
