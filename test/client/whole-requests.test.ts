import { type ClientParams, createClient, type HeadersLike, rest } from 'fastify-services/client'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { createFetch, outcomes, requestOf } from './outcome.js'

const { sent, library } = createFetch()
const request = requestOf(sent)

type Options = [
  adapter: object | undefined,
  connection?: HeadersLike | undefined,
  call?: HeadersLike | undefined,
  more?: object
]
const headers: Record<string, Options> = {
  none: [undefined],
  'of the server': [{}, undefined, undefined, { headers: { B: '1', a: '2' } }],
  'of the adapter': [{ headers: { 'X-A': 'a' } }, undefined, undefined, { headers: { 'X-B': '1', 'x-a': '2' } }],
  'of all, each over the one before': [
    { headers: { A: '2', b: '2', C: '2', d: '2' } },
    { c: 3, B: '3', D: '3' },
    { D: '4' },
    { headers: { a: '1', e: '5' } }
  ],
  'null and undefined leave what is there': [
    { headers: { A: '1', b: null, c: undefined } },
    { A: null, B: undefined },
    { accept: undefined, A: null }
  ],
  'no text': [{ headers: { a: 0, b: false, c: '' } as never }, { d: Number.NaN }],
  'that can be iterated': [
    { headers: new Headers({ 'X-A': '1' }) },
    [
      ['b', '2'],
      ['B', '3']
    ],
    new Map([['X-a', '4']])
  ],
  'for Accept and Content-Type': [
    { headers: { accept: 'text/plain' } },
    { 'content-type': 'application/vnd.api+json' }
  ],
  'for the method': [{ headers: { 'x-service-method': 'other' } }, { 'X-SERVICE-METHOD': 'third' }]
}

t.test('headers, of all places', async (t) => {
  const table = await outcomes(headers, ([adapter, own, call, server], name) => {
    const connection = rest('http://a', server).fetch(library, adapter as undefined)
    const service = connection.service('things').methods('act') as unknown as Record<
      string,
      (data: object, params: ClientParams) => unknown
    >
    const params = { ...(call && { headers: call }), ...(own && { connection: { headers: own } }) }
    return request(() => (/method/.test(name) ? service.act?.({}, params) : service.create?.({}, params)))
  })
  isKept(t, table, 'test/client/whole-headers.txt')
})

const places: Record<string, [base: string | URL | undefined, name: string, route?: object]> = {
  ...Object.fromEntries(
    [
      ...['http://a', 'http://a/', 'http://a//', 'http://a/v1', 'http://a/v1//', '/v1', 'a', '', '/', undefined],
      ...[new URL('http://a/v1/'), 'http://a/v1?key=1', 'http://a/v1/#x', '/v1?']
    ].map((base) => [`rest(${base})`, [base, 'things']])
  ),
  ...Object.fromEntries(
    [
      '/things/',
      '//a//b//',
      '',
      '/',
      'ä b',
      '🙂/ß',
      'a\\b',
      'a\tb\r\nc',
      'a?b=1#c',
      'a%2Fb',
      '!"$&\'()*+,-.;<=>@[]^_`{|}~\x7F',
      '.',
      '../a',
      '\uD83D'
    ].map((name) => [JSON.stringify(name), ['http://a', name]])
  ),
  'a placeholder': ['http://a', 'users/:userId/things', { userId: 7, other: 8 }],
  'a placeholder at the start': ['http://a', ':a/:b-c/:a', { a: 'x/y', b: 'ä' }],
  'a placeholder that is none': ['http://a', 'a:b/c', {}],
  'a value that is missing': ['http://a', 'users/:userId/things', {}],
  'no values': ['http://a', 'users/:userId/things'],
  'an empty value': ['http://a', 'users/:userId/things', { userId: '' }],
  'a value with dots': ['http://a', 'users/:userId/things', { userId: '..' }],
  'an inherited value': ['http://a', 'users/:toString/things', {}],
  'values that no placeholder has': ['http://a', 'things', { id: 1 }]
}

t.test('addresses, and paths of services', async (t) => {
  const table = await outcomes(places, ([base, name, route]) => {
    const service = createClient().configure(rest(base).fetch(library)).service(name)
    return request(() => service.find({ ...(route && { route: route as never }), query: { a: 1 } }))
  })
  isKept(t, table, 'test/client/whole-addresses.txt')
})
