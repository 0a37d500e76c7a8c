import Fastify from 'fastify'
import services, { BadRequest, type QueryParser } from 'fastify-services'
import t from 'tap'
import { createParser, createPlainParser } from '../../lib/server/request/query.js'
import { isKept } from '../support/kept.js'

const words = (text: string) => text.trim().split(/\s+/)
const times = (count: number, of: (index: number) => string, first = 0) =>
  Array.from({ length: count }, (_, index) => of(index + first)).join('&')

/** Texts that come to each branch of the parsers, and to either side of each limit. */
const texts = [
  ...['', '&', '=', '?a=1', 'a=b c'],
  ...words('a a= =a a=1 a=1&b=2 b=2&a=1 &a=1 a=1& a=1&&b=2 a=b=c a=1&b=c=d a=1&b b&a=1 a==1 a=&b= ab&c=1 a=1&b=2&c'),
  ...words('a[b]=1 a[b][c]=1 a[b]=1&a[c]=2 a[b][c]=1&a[b][d]=2 a[b]=1&a[b]=2 a[b][c]=1&a[b]=2 a[b]=1&a[b][c]=2'),
  ...words('a=1&a=2 a=1&a[b]=2 a[b]=1&a=2 a=1&a[]=2 a[]=1&a=2 a[]=1&a[b]=2 a[b]=1&a[]=2 a[0]=1&a[]=2 a[]=1&a[0]=2'),
  ...words('a[]= a[]=1 a[]=1&a[]=2 a[]=1&b=1&a[]=2 a[]=1&b[]=2 a[]=1&b[]=2&b[]=3 a[][b]=1 a[b][]=1 a[b][]=1&a[b][]=2'),
  ...words('a[0]=1 a[1]=1 a[0]=1&a[1]=2 a[1]=2&a[0]=1 a[0]=1&a[2]=3 a[0]=1&a[0]=2 a[00]=1 a[01]=1 a[-1]=1 a[1.5]=1'),
  ...words('a[0][b]=1 a[0][b]=1&a[0][c]=2&a[1][b]=3 a[0][b]=1&a[2][b]=2 a[1][b]=1 a[0][0]=1 a[0][0]=1&a[0][1]=2'),
  ...words('a[0]=1&a[b]=2 a[b]=1&a[0]=2 a[0][b]=1&a[b]=2 0=1 0[a]=1 10=1 a[1e1]=1 a[+1]=1 a[b0]=1 a[0b]=1 a[%31]=1'),
  ...words('$limit=10&$skip=0 $sort[a]=-1&$sort[b]=1 $or[0][a]=1&$or[1][b][$in][]=2&$or[1][b][$in][]=3 $select[]=a'),
  ...words('a%5Bb%5D=1 a%5bb%5d=1 a%5B%5D=1&a%5B%5D=2 a%5B0%5D=1&a[1]=2 a[%5D=1 a%5B]=1 %61=1 a%20b=1 a+b=c+d a=%2B'),
  ...words('a=%5Bx%5D a=x%26y a%26b=1 a%3Db=1 a=%zz %zz=1 a[%zz]=1 a=%E0%A4 a=%C3%A9 %C3%A9=1 a=% %=1 a=%25 a%255B=1'),
  ...words(
    'a[=1 a]=1 a[b=1 a[b]]=1 a[[b]]=1 [a]=1 []=1 [=1 ]=1 a[b]c=1 a[b]c[d]=1 a[[]=1 [a][b]=1 a[b][=1 a.b=1 a=1,2'
  ),
  ...words('__proto__=1 __proto__[a]=1 a[__proto__]=1 a[__proto__][b]=1 constructor=1 toString[a]=1&b=2 a[valueOf]=1'),
  ...words(
    'hasOwnProperty=1&a=2 a[b][isPrototypeOf]=1 length=1 a[length]=1 a[]=1&a[length]=9 prototype=1 x[prototype]=1'
  ),
  ...words('a[b][c]=1&a[b][d][]=2&a[b][d][]=3&e=4 a=1&b[c]=2&d[]=3&d[]=4&e[f][g]=5&h=6 a;b=1;c=2 a=1;b=2 a=1#b a?b=1'),
  ...[
    'a[b][c][d][e][f]=1',
    'a[b][c][d][e][f][]=1',
    'a[b][c][d][e][f][g]=1',
    'a[b][c][d][e][0]=1',
    'a[b][c][d][e][f][0]=1'
  ],
  ...[19, 20, 21].flatMap((count) => [times(count, (i) => `a[]=${i}`), times(count, (i) => `a[${i}]=${i}`)]),
  ...[20, 21].map((count) => times(count, (i) => `a=${i}`)),
  ...words('a[19]=1 a[20]=1 a[21]=1 a[19][b]=1 a[20][b]=1 b[a][20]=1')
]

const settings: Record<string, QueryParser> = {
  'arrayLimit: 2': { arrayLimit: 2 },
  'arrayLimit: 0': { arrayLimit: 0 },
  'arrayLimit: -1': { arrayLimit: -1 },
  'depth: 1': { depth: 1 },
  'depth: 0': { depth: 0 },
  'parameterLimit: 2': { parameterLimit: 2 },
  'arrayLimit: undefined': { arrayLimit: undefined } as object,
  'comma: true': { comma: true },
  'comma: false': { comma: false },
  'allowDots: true': { allowDots: true },
  'allowEmptyArrays: true': { allowEmptyArrays: true },
  'strictNullHandling: true': { strictNullHandling: true },
  'depth: 1.5': { depth: 1.5 },
  'plainObjects, allowPrototypes': { plainObjects: true, allowPrototypes: true } as QueryParser
}

const told = (result: unknown) => (result instanceof BadRequest ? `${result.code} ${result.message}` : result)
const short = (text: string) => (text.length > 50 ? `${text.slice(0, 20)} … of ${text.length}` : text)

/** A long list, or what stands in its place, by its size. */
function shape(result: Record<string, unknown> | BadRequest): unknown {
  const [[name, value] = ['', ''], ...more] = Object.entries(result)
  if (result instanceof BadRequest || Object.keys(Object(value)).length + more.length < 7) return told(result)
  return more.length > 6
    ? `${more.length + 1} names`
    : `${name}: ${Array.isArray(value) ? 'list' : 'object'} of ${Object.keys(Object(value)).length}`
}

t.test('what becomes of each text, and which of them are plain', async (t) => {
  const parsers = Object.entries(settings).map(([name, options]) => [name, createParser(options)] as const)
  const parse = createParser()
  const rows = texts.map((text) => {
    const result = shape(parse(text))
    const different = parsers
      .map(([name, parse]) => [name, shape(parse(text))] as const)
      .filter(([, one]) => JSON.stringify(one) !== JSON.stringify(result))
    return [short(text), result, ...(different.length === 0 ? [] : [Object.fromEntries(different)])]
  })
  const plain = Object.entries({ 'no options': {}, ...settings }).map(([name, options]) => {
    const parsePlain = createPlainParser(options)
    return [
      name,
      texts
        .filter((text) => parsePlain(text) !== undefined)
        .map(short)
        .join(' ')
    ]
  })
  const limits = [999, 1000, 1001].map((count) => {
    const result = parse(times(count, (i) => `a${i}=`))
    return [`${count} parameters`, result instanceof BadRequest ? told(result) : Object.keys(result).length]
  })
  const parseFew = createParser({ parameterLimit: 3 })
  const few = ['a=1&b=2&c=3', '&&&', 'a&b', '&&', 'abc', 'abcd'].map((text) => [`3: ${text}`, told(parseFew(text))])
  isKept(t, [...rows, ...plain, ...limits, ...few], 'test/server/whole-queries.txt')
})

t.test('parsers of an application, and what is left of them in the answer', async (t) => {
  const parsers: Record<string, QueryParser> = {
    texts: (text) => ({ text }),
    nothing: () => undefined as never,
    null: () => null as never,
    range: () => {
      throw new RangeError('Too far')
    },
    refusal: () => {
      throw new BadRequest('Not like this', { errors: { a: 'is odd' } })
    }
  }
  const rows = Object.entries(parsers).map(([name, parser]) => {
    const result = createParser(parser)('a=1')
    return [name, told(result), result instanceof BadRequest ? String(result.cause) : '']
  })
  const asked: unknown[] = []
  for (const useSemicolonDelimiter of [false, true]) {
    const app = Fastify({ routerOptions: { useSemicolonDelimiter } as object })
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { html: false, logger: false } })
    app.service('things', { find: async ({ query }) => query, get: async (id, { query }) => ({ id, query }) })
    for (const url of words(
      '/things /things? /things?a=1 /things/1?a[]=1 /things?a=1#b=2 /things;a=1 /things/x;a=1?b=2 /things?a=1?b=2 /things?a[b][c][d][e][f][g]=1'
    )) {
      const { statusCode, body } = await app.inject(url)
      asked.push([useSemicolonDelimiter, url, statusCode, body])
    }
  }
  isKept(t, [...rows, ...asked], 'test/server/whole-parsers.txt')
})
