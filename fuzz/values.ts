import type { Random } from './random.js'

const names = [
  ...['text', 'id', 'email', 'password', 'strategy', 'accessToken', 'refreshToken', 'count', 'tags', 'a', 'b', '', '0'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'toJSON', 'then', 'pipe', 'getReader'],
  ...['length', 'stack', 'message', 'name', 'code', 'errors', 'data', 'provider', 'authenticated', 'user', 'payload'],
  ...[
    '$limit',
    '$skip',
    '$sort',
    '$select',
    '$or',
    '$and',
    '$in',
    '$where',
    '$gt',
    '$le',
    '$eq',
    '$like',
    '😀',
    '\u0000'
  ]
]
const texts = [
  ...[
    '',
    'a',
    'text',
    '1',
    '-1',
    '1e400',
    'NaN',
    'true',
    'null',
    'undefined',
    '[object Object]',
    '../..',
    '%00',
    '\u0000'
  ],
  ...[
    'ada@example.com',
    'correct horse',
    'local',
    'jwt',
    'refresh',
    '<script>',
    '\r\nX-Bad: 1',
    '😀',
    '\ud800',
    '\u202e'
  ],
  ...['2026-01-01T00:00:00Z', "' or 1=1 --", '\\', 'x'.repeat(300), 'é'.repeat(2000)]
]
const numbers = [0, -0, 1, -1, 1.5, 20, 1e20, 1e308, -(2 ** 31), 2 ** 53, 5e-324]

export const textOf = (random: Random) => random.pick(texts)

function scalarOf(random: Random): string {
  const kind = random.below(6)
  if (kind < 3) return JSON.stringify(textOf(random))
  return kind < 5 ? String(random.pick(numbers)) : random.pick(['true', 'false', 'null'])
}

/** The text of any JSON: an object of the server's prototypes can not have all of these names. */
export function jsonOf(random: Random, depth = 4): string {
  const kind = depth === 0 ? 9 : random.below(10)
  if (kind < 5) return `{${random.upTo(5, () => `${JSON.stringify(random.pick(names))}:${jsonOf(random, depth - 1)}`)}}`
  if (kind < 7) return `[${random.upTo(4, () => jsonOf(random, depth - 1))}]`
  if (kind === 7 && random.oneIn(60)) return '['.repeat(1500) + ']'.repeat(1500)
  return scalarOf(random)
}

/** A body that is no JSON any more, or more than there may be. */
export function brokenJsonOf(random: Random): string {
  const json = jsonOf(random)
  const at = random.below(json.length + 1)
  const broken = [json.slice(0, at), `${json}${json}`, json.replaceAll('"', "'"), `\ufeff${json}`, `[${json},]`]
  return random.oneIn(30) ? `{"text":"${'x'.repeat(70_000)}"}` : random.pick(broken)
}

const keyOf = (random: Random) =>
  random.pick(names) + random.upTo(random.oneIn(20) ? 40 : 3, () => `[${random.pick(['', ...names])}]`).join('')

const escapes = [encodeURIComponent, String, (text: string) => text.replace(/./gu, (char) => percent(char))]
const percent = (char: string) =>
  [...Buffer.from(char)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
// A lone surrogate has no encoding.
const wellFormed = (text: string) => Buffer.from(text).toString()
const broken = ['%', '%zz', '%E0%A4%A', '%c0%af', '%00', '%u0041', '+', '&&', '==', '[', ']', '#', '?', ';']

function escapedOf(random: Random, text: string): string {
  if (random.oneIn(15)) return random.pick(broken)
  return random.pick(escapes)(wellFormed(text))
}

/** A query string, or a form body. */
export function queryOf(random: Random): string {
  const many = random.oneIn(40) ? 1100 : 6
  const pairs = random.upTo(many, () => `${escapedOf(random, keyOf(random))}=${escapedOf(random, textOf(random))}`)
  return random.oneIn(20)
    ? Array(25)
        .fill(pairs[0] ?? 'a[]=1')
        .join('&')
    : pairs.join('&')
}

/** A segment of a path. */
export function segmentOf(random: Random): string {
  if (random.oneIn(3)) return escapedOf(random, random.pick(names))
  return random.pick([
    '',
    '1',
    '2',
    '.',
    '..',
    '%2e%2e',
    '%2F',
    'a%2Fb',
    '%00',
    '%',
    '%zz',
    '*',
    ':id',
    'a;b',
    '-1',
    'x'.repeat(120)
  ])
}

/** The value of a header: no line breaks, which bytes that are changed later may bring. */
export function headerOf(random: Random): string {
  const odd = ['', ' ', ',', '*', '*/*;q=x', '"', '\t', '\u0080\u00ff', 'a, b', '1', '-1', 'null', 'x'.repeat(9000)]
  return random.oneIn(3) ? encodeURIComponent(wellFormed(textOf(random))) : random.pick(odd)
}
