import t from 'tap'
import { toProblem } from '../../lib/explorer/model/problem.js'
import { isKept } from '../support/kept.js'
import { odd, toPlain } from './plain.js'

const parsed = (text: string) => JSON.parse(text)
// biome-ignore format: a table
const waits = [0, 1, 2, 1.5, -1, '3', 'x', '', null, undefined, true, {}, 1e9]
// biome-ignore format: a table
const errors: unknown[] = [
  ...odd,
  [{ instancePath: '/title', message: 'is short' }, { instancePath: '', message: 'is odd' }, { instancePath: '/a/0/b', message: '' }],
  [{ instancePath: '/', message: 7 }, { instancePath: '//a//b/' }, { instancePath: '/a~1b~0c/~01' }, { instancePath: 'a' }],
  [{ instancePath: '', params: { missingProperty: 'm' } }, { instancePath: '/x', params: { additionalProperty: 'p' } }],
  [
    { params: { missingProperty: 'm', additionalProperty: 'p' } }, { params: { missingProperty: '' } }, { params: 7 },
    { params: { missingProperty: null } }
  ],
  [
    { instancePath: '/0/a', message: 'of a list' }, { instancePath: '/12' }, { instancePath: '/1a/b' }, { instancePath: '/a1/b' }, { instancePath: '/a/1' },
    { instancePath: '/0/1/a' }
  ],
  [{ path: ['a', 'b'], message: 'is short' }, { path: [] }, { path: [{ key: 'a' }, { key: 0 }] }, { path: [0, 'a'] }, { path: '/a/b' }],
  [
    { path: [{ key: undefined }, null, 7] }, { path: ['a'], instancePath: '/b' }, { path: { 0: 'a' } }, { path: 7 },
    { instancePath: null, path: 'c' }
  ],
  [{ path: ['a'], params: { missingProperty: 'b' } }, { path: Symbol.iterator.toString() }],
  ...[
    { b: 'is missing', a: ['is short', 'is dull'], c: [], d: { message: 'no' }, e: 7, f: [7, 'x'], g: [undefined, 'y'] },
    { '0': 'a', 'a.b': 'c', '': 'd' }
  ],
  parsed('{"__proto__":"a","constructor":["b"]}')
]

t.test('errors as people read them', async (t) => {
  const problem = (error: unknown) => {
    const { title, message, advice, isLogin, isPassing, details } = toProblem(error, 'http://a.example')
    return [
      title,
      message,
      ...[advice ?? []].flat(),
      ...(isLogin ? ['a login may help'] : []),
      ...(isPassing ? ['it may go well later'] : []),
      ...details.map(({ path }) => path)
    ]
  }
  // biome-ignore format: a table
  const codes = [
    400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 413, 414, 415, 422, 429, 431, 500, 501, 502, 503, 504, 507,
    0, 199, 299, 399, 418, 499, 599, 600
  ]
  // biome-ignore format: a table
  const kinds: unknown[] = [
    ...odd.flatMap((one) => [{ code: one, message: 'm' }, { code: 400, name: one, message: one }]),
    ...['404', '503', 'ECONNRESET', 404.5, Number.NaN, Number.POSITIVE_INFINITY, -1].map((code) => ({ code, name: 'Odd', message: 'm' })),
    ...[
      new Error('a'), new TypeError(''), Object.assign(new Error('b'), { code: 401, name: 'Out' }),
      Object.create({ code: 400, message: 'inherited' })
    ],
    ...[503, 502, 500, 400].flatMap(
      (code) => [undefined, null, 0, new Error('refused')].map((cause) => ({ code, cause, name: 'N', message: 'm', errors: { a: 'b' } }))
    )
  ]
  isKept(
    t,
    {
      codes: [...new Set(codes)].map((code) => {
        const { advice, isLogin, isPassing } = toProblem({ code, name: 'Any', message: 'm' }, 'x')
        return [code, toPlain(advice), isLogin, isPassing]
      }),
      kinds: kinds.map((one) => [one instanceof Error ? `${one}` : toPlain(one), ...problem(one)]),
      waits: waits.map((retryAfter) => [
        toPlain(retryAfter),
        ...[429, 503, 418].map((code) => toPlain(toProblem({ code, data: { retryAfter } }, 'x').advice))
      ]),
      data: odd.map((data) => [toPlain(data), toPlain(toProblem({ code: 429, data }, 'x').advice)]),
      details: errors.map((one) => [
        toPlain(one),
        toProblem({ code: 400, errors: one }, 'x').details.map(({ place, path, message }) => [place, path, message])
      ])
    },
    'test/explorer/whole-problems.txt'
  )
})
