import { accessTokens, corpus, type Message } from './corpus.js'
import type { Random } from './random.js'
import { brokenJsonOf, headerOf, jsonOf, queryOf, segmentOf, textOf } from './values.js'

/** What is sent over one connection. */
export interface Case {
  /** The bytes of it, each a character. */
  readonly text: string
  /** Goes away after so many bytes were sent, without waiting for an answer. */
  readonly cut?: number
  /** Goes away with the first bytes of the answer. */
  readonly leave?: boolean
  /** Sends in two pieces. */
  readonly split?: number
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'get', 'X']
const types = [
  ...[
    'application/json',
    'application/json; charset=utf-8',
    'application/json;',
    'application/vnd.api+json',
    'text/plain'
  ],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=part', 'multipart/form-data', '*/*', ''],
  ...['application/json, text/plain', 'application/jsonx', 'text/plain; charset=utf-16']
]
const accepts = [
  '*/*',
  'text/html',
  'application/json',
  'text/html, application/json;q=0.9',
  'image/png',
  'text/*;q=0',
  ''
]
const custom = [
  'archive',
  'find',
  'create',
  'constructor',
  '__proto__',
  'setup',
  'emit',
  '_find',
  'toString',
  'a, b',
  ''
]
const special: [name: string, values: readonly string[]][] = [
  ['Content-Type', types],
  ['Accept', accepts],
  ['X-Service-Method', custom],
  ['Authorization', ['Bearer', 'Basic YTpi', 'bearer  x', ...accessTokens.map((token) => `Bearer ${token}`)]],
  ['Origin', ['http://localhost', 'null', '*']],
  ['Content-Length', ['0', '1', '-1', '999999', '1e3', '0x10', '1, 1']],
  ['Transfer-Encoding', ['chunked', 'identity', 'gzip, chunked', 'chunked, chunked', ' chunked', 'xchunked']],
  ['Expect', ['100-continue', 'other']],
  ['Connection', ['close', 'keep-alive', 'upgrade', 'x']],
  ['Upgrade', ['h2c', 'websocket']],
  ['Host', ['', 'a/b', 'localhost:99999', '[::1']],
  ['Accept-Encoding', ['gzip', 'identity;q=0']],
  ['Range', ['bytes=0-0']],
  ['If-None-Match', ['*']],
  ['Accept-Version', ['1.x']],
  ['X-HTTP-Method-Override', ['DELETE']],
  ['__proto__', ['x']],
  ['constructor', ['x']]
]

const changes: ((message: Message, random: Random) => void)[] = [
  (message, random) => {
    message.method = random.pick(methods)
  },
  (message, random) => {
    const segments = message.target.split('/')
    segments.splice(random.below(segments.length) + 1, random.below(2), segmentOf(random))
    message.target = segments.join('/')
  },
  (message, random) => {
    message.target = `${message.target.split('?')[0]}?${queryOf(random)}`
  },
  (message, random) => {
    message.target = random.pick(corpus).target
  },
  (message, random) => {
    message.target = random.pick(['*', `http://localhost${message.target}`, `//${message.target}`, textOf(random), '/'])
  },
  (message, random) => {
    const [name, values] = random.pick(special)
    if (random.oneIn(4)) message.headers.push([name, random.pick(values)])
    else message.headers = [...message.headers.filter((header) => header[0] !== name), [name, random.pick(values)]]
  },
  (message, random) => {
    message.headers.push([random.oneIn(3) ? 'X-Other' : random.pick(special)[0], headerOf(random)])
  },
  (message, random) => {
    message.headers.splice(random.below(message.headers.length), 1)
  },
  (message, random) => {
    message.body = jsonOf(random)
  },
  // Values in the places of others get further than bodies and queries of another form.
  (message, random) => {
    const isOther = (value: string) => (random.oneIn(2) ? jsonOf(random, random.below(2)) : value)
    message.body = message.body.replace(/("[^"]*"|\d+)(?=[,}\]])/g, isOther)
  },
  (message, random) => {
    message.target = message.target.replace(/(?<==)[^&]*/g, () =>
      encodeURIComponent(textOf(random).replace('\ud800', ''))
    )
  },
  (message, random) => {
    message.body = random.pick([brokenJsonOf, queryOf, textOf, () => random.pick(corpus).body])(random)
  }
]

function render({ method, target, headers, body }: Message, random: Random): string {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map((header) => header.join(': '))]
  const bytes = Buffer.from(body)
  const named = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))
  const chunked = !named && body !== '' && random.oneIn(4)
  if (chunked) lines.push('Transfer-Encoding: chunked')
  else if (!named && body !== '') lines.push(`Content-Length: ${bytes.length}`)
  // Texts have one character per byte; the head has other characters as UTF-8.
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`).toString('latin1')
  return head + (chunked ? toChunks(bytes.toString('latin1'), random) : bytes.toString('latin1'))
}

function toChunks(body: string, random: Random): string {
  const at = random.below(body.length)
  const chunks = [body.slice(0, at), body.slice(at)].filter((chunk) => chunk !== '')
  const size = (chunk: string) =>
    random.oneIn(25) ? random.pick(['-1', 'zz', 'fffffffffffffffff']) : chunk.length.toString(16)
  const extension = random.oneIn(10) ? ';a="b"' : ''
  const trailer = random.oneIn(10) ? 'X-Trailer: 1\r\n' : ''
  return `${chunks.map((chunk) => `${size(chunk)}${extension}\r\n${chunk}\r\n`).join('')}0\r\n${trailer}\r\n`
}

/** Bytes changed, cut out, doubled or put in, wherever they are. */
function scratch(text: string, random: Random): string {
  const at = random.below(text.length)
  const length = random.below(random.oneIn(4) ? 200 : 8)
  const put = random.pick([
    '\r\n',
    '\n',
    '\0',
    '%',
    ' ',
    ':',
    '\u00ff',
    '\r\n\r\n',
    String.fromCharCode(random.below(256))
  ])
  const middle = [put, '', text.slice(at, at + length).repeat(2), text.slice(at, at + length).toUpperCase()]
  return text.slice(0, at) + random.pick(middle) + text.slice(at + length)
}

/** The case of a number: the same one whenever the seed is the same. */
export function createCase(random: Random): Case {
  const pipelined = random.oneIn(4) ? 2 + random.below(4) : 1
  let text = ''
  for (let count = 0; count < pipelined; count++) {
    const message = structuredClone(random.pick(corpus))
    if (count === pipelined - 1) message.headers.push(['Connection', 'close'])
    for (const change of random.upTo(3, () => random.pick(changes))) change(message, random)
    text += render(message, random)
  }
  if (random.oneIn(4)) for (let count = random.below(3); count >= 0; count--) text = scratch(text, random)
  const way = random.below(20)
  return {
    text,
    ...(way === 0 && { cut: random.below(text.length) }),
    ...(way === 1 && { leave: true }),
    ...(way === 2 && { split: random.below(text.length) })
  }
}
