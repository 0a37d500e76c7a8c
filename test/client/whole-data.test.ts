import { Readable } from 'node:stream'
import { createClient, rest } from 'fastify-services/client'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { createFetch, outcomes, requestOf } from './outcome.js'

const { sent, library } = createFetch()
const request = requestOf(sent)
const app = createClient().configure(rest('http://a').fetch(library))
const things = app.service('things')

const ids: Record<string, unknown> = {
  ...Object.fromEntries(
    [0, -1, 1.5, 1e21, '0', 'a-b_c.~', ' ', 'a b', 'a/b', '/', 'ä🙂'].map((id) => [JSON.stringify(id), id])
  ),
  ...Object.fromEntries(
    ['.', '..', '...', '', '\uD83D', 'x\uDE42', '%2F', 'a\\b', ':id', '$&', '?a=1#b', 'null'].map((id) => [
      JSON.stringify(id),
      id
    ])
  ),
  null: null,
  undefined,
  'no number': Number.NaN,
  true: true,
  false: false,
  'a big number': 12n,
  'an object': {},
  'a list': [1, 2],
  'an empty list': []
}

t.test('every kind of id', async (t) => {
  const table = await outcomes(ids, async (input) => {
    const id = input as string
    const [got, removed] = [await request(() => things.get(id)), await request(() => things.remove(id))]
    const path = (of: unknown) => /http:\S*/.exec(String(of))?.[0]
    return path(got) && path(got) === path(removed) ? path(got) : [got, removed]
  })
  isKept(t, table, 'test/client/whole-ids.txt')
})

const bytes = new TextEncoder().encode('a PART b')
const named = (tag: string) => ({ [Symbol.toStringTag]: tag, a: 1 })
const circle: Record<string, unknown> = {}
circle.circle = circle
const data: Record<string, unknown> = {
  absent: undefined,
  null: null,
  'an empty object': {},
  'an empty list': [],
  text: 'text "a"',
  'empty text': '',
  'a number': 0,
  false: false,
  'fields of all kinds': {
    z: 'ä',
    a: [1, null, undefined, Number.NaN],
    b: undefined,
    c: null,
    d: new Date(0),
    e: { f: {} },
    g: Boolean
  },
  'a list': [{ b: 1 }, { a: 2 }],
  'a list with a number': [{}, 1],
  'a date': new Date(0),
  'a map': new Map([[1, 2]]),
  'its own JSON': { toJSON: () => ({ b: 1 }) },
  'a function': Boolean,
  'a big number': { a: 1n },
  'a circle': circle,
  'a blob': new Blob(['x']),
  'a file': new File(['x'], 'a.txt', { type: 'text/plain' }),
  'a form': new FormData(),
  'search params': new URLSearchParams('a=1'),
  'a buffer of bytes': bytes.buffer,
  'shared bytes': new SharedArrayBuffer(2),
  bytes: bytes,
  'a part of them': bytes.subarray(2, 6),
  'a view of them': new DataView(bytes.buffer, 2, 4),
  'numbers of two bytes': new Uint16Array(bytes.buffer, 2, 2),
  'a Buffer': Buffer.from('buffer'),
  'no bytes': new Uint8Array(),
  'a stream of Node': Readable.from(['a']),
  'a stream of the web': new Blob(['x']).stream(),
  'a pipe': { pipe: Boolean },
  'a reader': { getReader: Boolean },
  'a pipe that is no function': { pipe: 1, getReader: 'x' },
  'a generator': (async function* () {
    yield 1
  })(),
  'an iterator with JSON': { [Symbol.asyncIterator]: Boolean, toJSON: () => 1 },
  'an object that is called a blob': named('Blob'),
  'one that is called so at the end': named('My Blob'),
  'one that is called nearly so': named('MyBlob'),
  'one that is called so and more': named('Blob] x'),
  'one with a longer name': named('Blobs')
}

t.test('every kind of data, of `create` and of a custom method', async (t) => {
  app.use('acts', rest('http://a').fetch(library).service('acts'), { methods: ['create', 'act'] })
  const acts = app.service('acts') as unknown as { act(data: unknown): Promise<unknown> }
  const table = await outcomes(data, async (input) => {
    const [created, acted] = [await request(() => things.create(input as object)), await request(() => acts.act(input))]
    const short = (result: unknown) => JSON.stringify(result).replaceAll(/http:\S*| X-Service-Method=act/g, '')
    return short(created) === short(acted) ? created : [created, acted]
  })
  isKept(t, table, 'test/client/whole-data.txt')
})
