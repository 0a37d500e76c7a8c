import t from 'tap'
import { addressOf, cookiesIn, keyHeadersIn, nameOf } from '../../lib/explorer/model/login.js'
import { isKept } from '../support/kept.js'
import { odd, resultOf, toPlain } from './plain.js'

const parsed = (text: string) => JSON.parse(text)

t.test('what is read of a document and of an answer for a login', async (t) => {
  // biome-ignore format: a table
  const servers = [
    ...odd.map((one) => ({ servers: [{ url: one }] })),
    ...[
      '/', '/v1', '/v1/', 'v1', 'v1//a', '//', '/a//b/', 'https://evil.example/v1', 'http://evil.example', 'http://evil.example/v1', 'httpss://evil.example/v1', '//evil.example/v1',
      'HTTPS://EVIL.example/v1/', 'ftp://evil.example/v1'
    ].map((url) => ({ servers: [{ url }, { url: '/second' }] })),
    ...[
      'https://u@evil.example:80/%2F/../..', 'https://evil.example?a/b', 'https://evil.example#/b', '/{version}', '?a', '/a?b', '/a#b',
      '/../a', '/a/../../b', '/~a/b-c/d.e_f', '/é', '/a b', '/a:b', '\\\\evil.example', '/\\evil.example', 'javascript:alert(1)', '/a\n',
      './a', '../a', '.', '/a/.', 'https:/a', 'https:a'
    ].map((url) => ({ servers: [{ url }] }))
  ]
  const places = ['http://a.example/docs/json', 'https://a.example:8080/x?y#z', 'http://b:c@a.example/']
  const scheme = (name: unknown, place: unknown = 'header', type: unknown = 'apiKey') => ({ type, in: place, name })
  // biome-ignore format: a table
  const schemes: unknown[] = [
    ...odd, { a: scheme('X-B'), b: scheme('X-A'), c: scheme('X-B'), d: scheme('x-b'), e: scheme('') },
    {
      a: scheme('q', 'query'), b: scheme('c', 'cookie'), c: scheme('X', 'header', 'http'), d: scheme(7), e: scheme(undefined),
      f: scheme('X-F')
    },
    parsed('{"__proto__":{"type":"apiKey","in":"header","name":"X-P"}}')
  ]
  const keys = ['email', 'name', 'username', 'login', 'id', '_id']
  // biome-ignore format: a table
  const answers: unknown[] = [
    ...odd,
    ...odd.map((user) => ({ user })),
    ...keys.flatMap(
      (key, index) => [
        { user: Object.fromEntries(keys.slice(index).reverse().map((other) => [other, `the ${other}`])) },
        ...[7, 0, '', true, null, {}, ['a']].map((value) => ({ user: { [key]: value, more: 'x' } }))
      ]
    ),
    ...[
      { accessToken: 'x', authentication: { name: 'no' }, user: { id: 7 } }, { authentication: { name: 'no' } },
      { Authentication: { name: 'yes' } }
    ],
    ...[
      { a: { id: 1 }, b: { email: 'b' } }, { a: { x: 1 }, b: { _id: 'b' } }, { a: { email: {}, id: 3 } }, [{ name: 'a' }],
      { a: [{ name: 'b' }] }, { name: 'a' }
    ]
  ]
  isKept(
    t,
    {
      addresses: await Promise.all(
        servers.map(async (one) => {
          const [here, ...others] = await Promise.all(places.map((place) => resultOf(() => addressOf(one, place))))
          const origins = places.map((place) => new URL(place).origin)
          const isElsewhere = others.some(
            (other, index) => other !== `${here}`.replace(origins[0] ?? '', origins[index + 1] ?? '')
          )
          return [toPlain(one), here, ...(isElsewhere ? others : [])]
        })
      ),
      odd: await Promise.all(
        odd.map(async (one) => [
          toPlain(one),
          await resultOf(() => addressOf(one, 'http://a.example/x')),
          keyHeadersIn(one)
        ])
      ),
      keys: schemes.map((securitySchemes) => [
        toPlain(securitySchemes),
        keyHeadersIn({ components: { securitySchemes } })
      ]),
      names: answers.map((answer) => [toPlain(answer), nameOf(answer)])
    },
    'test/explorer/whole-logins.txt'
  )
})

t.test('the cookies that a document names', async (t) => {
  const key = { type: 'apiKey', in: 'header', name: 'X-Key' }
  const securitySchemes = {
    a: key,
    b: { ...key, in: 'cookie', name: 'session' },
    c: { type: 'http', in: 'cookie', name: 'x' }
  }
  t.strictSame(cookiesIn({ components: { securitySchemes } }), ['session'])
  t.strictSame(cookiesIn({}), [])
})
