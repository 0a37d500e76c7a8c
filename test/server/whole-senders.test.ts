import { Readable } from 'node:stream'
import Fastify, { type FastifyReply, type FastifyRequest, type RouteShorthandOptions } from 'fastify'
import services, { BadRequest, type Formatter, type Middleware, type ServiceOptions } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const fail = (message: string): never => {
  throw new BadRequest(message)
}
/** Does something once a reply has been changed. */
const after = <T>(_reply: FastifyReply, act: () => T): T => act()
const objects = () => Readable.from([{ a: 1 }, { a: 2 }])
const texts = () => Readable.from(['a', 'b'])

/** What formatters return, send and throw. */
const formatters: Record<string, Formatter> = {
  text: () => 'text',
  'an empty text': () => '',
  'the data': (_request, reply) => reply.data,
  'another object': () => ({ other: 1 }),
  null: () => null,
  'null, later': async () => null,
  number: () => 5,
  'undefined, later': async () => undefined,
  'text, later': async () => 'text',
  'a promise of its own': () => Object.fromEntries([['then', (done: (value: string) => void) => done('of its own')]]),
  'objects with a `then` that is none': () => Object.fromEntries([['then', 1]]),
  buffer: () => Buffer.from('bytes'),
  'a stream of objects': objects,
  'a stream of objects, later': async () => objects(),
  'a stream of text': texts,
  'a web stream': () => Readable.toWeb(texts()),
  'a response': () => new Response('made', { status: 418, headers: { 'x-made': '1', 'keep-alive': '5' } }),
  'a response, later': async () => new Response(null, { status: 204 }),
  'with headers': (_request, reply) => after(reply.header('x-own', '1').type('text/csv').code(203), () => 'a,b'),
  'sends text': (_request, reply) => void reply.send('sent'),
  'sends the data': (_request, reply) => void reply.send(reply.data),
  'sends later': (_request, reply) => void turn().then(() => reply.send('later')),
  'sends and returns the reply': (_request, reply) => reply.send('sent'),
  'sends and returns something else': (_request, reply) => after(reply.send('sent'), () => 'returned'),
  'sends, async': async (_request, reply) => void reply.send('sent'),
  'sends and returns, async': async (_request, reply) => {
    reply.send('sent')
    return 'returned'
  },
  'sends objects': (_request, reply) => void reply.send(objects()),
  'sends texts': (_request, reply) => void reply.send(texts()),
  'sends a response': (_request, reply) => void reply.send(new Response('made', { status: 202 })),
  'sends null': (_request, reply) => void reply.send(null),
  throws: () => fail('It throws'),
  rejects: async () => fail('It rejects'),
  'sends and throws': (_request, reply) => after(reply.send('sent'), () => fail('It throws')),
  'sends and rejects': async (_request, reply) => after(reply.send('sent'), () => fail('It rejects')),
  'sets headers and throws': (_request, reply) =>
    after(reply.headers({ 'x-own': '1', etag: 'e' }), () => fail('It throws')),
  'asks what it gets': ({ method, url, headers }, { data, hook }) => ({
    ...{ method, url, accept: headers.accept, data, hook: [hook?.path, hook?.method, hook?.id] }
  })
}

const call: Record<string, Middleware> = {
  nothing: async () => {},
  'nothing, by done': (_request, _reply, done) => done(),
  'nothing, by done later': (_request, _reply, done) => void turn().then(() => done()),
  'of no arguments': async () => {},
  'sets the data': async (_request, reply) => {
    reply.data = { set: reply.data ?? null }
  },
  'sets no data': async (_request, reply) => {
    reply.data = undefined
  },
  'sets a stream': async (_request, reply) => {
    reply.data = objects()
  },
  'sets a header and a status': async (_request, reply) => void reply.header('x-own', '1').code(202),
  'sends text': async (_request, reply) => reply.send('sent'),
  'sends and returns nothing': async (_request, reply) => void reply.send('sent'),
  'sends an object': async (_request, reply) => reply.send({ sent: 1 }),
  'sends objects': async (_request, reply) => reply.send(objects()),
  'sends, with done': (_request, reply, _done) => void reply.send('sent'),
  'sends and calls done': (_request, reply, done) => after(reply.send('sent'), () => done()),
  'returns the reply': async (_request, reply) => {
    setImmediate(() => reply.send('later'))
    return reply
  },
  'returns something else': async () => 'ignored',
  throws: () => fail('It throws'),
  rejects: async () => fail('It rejects'),
  'fails by done': (_request, _reply, done) => done(new BadRequest('It is done') as never),
  'throws, with done': (_request, _reply, _done) => fail('It throws'),
  'rejects, with done': (async (_request: unknown, _reply: unknown, _done: unknown) => fail('It rejects')) as never,
  'sends and rejects': async (_request, reply) => after(reply.send('sent'), () => fail('It rejects')),
  'hijacks the reply': async (_request, reply) => void reply.hijack().raw.writeHead(206, { 'x-raw': '1' }).end('raw'),
  'hijacks, with done': (_request, reply, _done) => void reply.hijack().raw.end('raw'),
  'tells what it is called on': async function (_request, reply) {
    reply.header('x-this', String(typeof this.service))
  },
  'tells what it is called on, with done': function (_request, reply, done) {
    reply.header('x-this', String(typeof this.service))
    done()
  }
}

/** What is asked for by HEAD, and without a result, too. */
const inAll =
  /^formatter: (text|null|number|undefined, later|sends (text|later|null)|the data|sends and throws)$|(sets|sends) (no data|text)$/

const json = 'application/json'
const represent = (...names: string[]) => Object.fromEntries(names.map((name) => [name, () => `as ${name}`]))
const representations: Record<string, [offered: string[], vary?: string | string[]]> = {
  three: [['text/plain', json, 'text/html; charset=latin1']],
  'with a default': [['text/csv', 'default']],
  'the default first': [['default', 'text/csv']],
  'the default alone': [['default']],
  none: [[]],
  'varies by Origin': [['text/plain'], 'Origin'],
  'varies by two': [['text/plain'], ['Origin', 'Cookie']],
  'varies by it already': [['text/plain'], 'origin , ACCEPT,cookie'],
  'varies by everything': [['text/plain'], '*'],
  'varies by others': [['text/plain'], 'Accept-Language, X-Accept'],
  'varies by nothing': [['text/plain'], '']
}
const accepts = [undefined, '*/*', json, 'text/*', 'text/html', 'text/csv;q=0.5, text/plain;q=0.4', 'image/png', '']

t.test('what formatters and middleware make of an answer', async (t) => {
  const lines: string[] = []
  const app = Fastify({ logger: { stream: { write: (line) => void lines.push(line) } } })
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  const service = { get: async (id: string) => ({ id }), remove: async () => null }
  const ask = async (url: string, options: { method?: 'HEAD' | 'DELETE'; headers?: Record<string, string> } = {}) => {
    const answer = await app.inject({ url, ...options })
    const { date: _, connection: __, 'content-length': ___, ...others } = answer.headers
    const log = lines.splice(0).map((line) => {
      const { level, msg, err } = JSON.parse(line) as { level: number; msg: string; err?: { message: string } }
      return `${level} ${msg}${err === undefined || err.message === msg ? '' : `: ${err.message}`}`
    })
    const more = log.filter((line) => !/^30 (incoming|request comp)|^40 Reply/.test(line))
    return [
      answer.statusCode,
      answer.body,
      ...Object.entries(others).map(([name, value]) => `${name}: ${value}`),
      ...more
    ]
  }
  let count = 0
  const added: [name: string, path: string, isShort: boolean][] = []
  const add = (name: string, options: ServiceOptions<object>, isShort = false) => {
    added.push([name, `/s${count}`, isShort])
    app.service(`s${count++}`, service, options as object)
  }
  for (const [name, formatter] of Object.entries(formatters)) add(`formatter: ${name}`, { formatter })
  const next: Middleware = async (_request, reply) => void reply.header('x-next', '1')
  for (const [name, part] of Object.entries(call)) {
    add(`before: ${name}`, { before: [part, next] })
    add(`after: ${name}`, { after: [part, next] })
    add(
      `after, and a formatter: ${name}`,
      {
        after: part,
        formatter: (_request, { data }) => ({ formatted: data instanceof Readable ? 'a stream' : (data ?? 0) })
      },
      true
    )
  }
  for (const [name, [offered, vary]] of Object.entries(representations))
    app.get(`/${name.replaceAll(' ', '-')}`, (async (_request: FastifyRequest, reply: FastifyReply) => {
      if (vary !== undefined) reply.header('vary', vary)
      return reply.format(represent(...offered))
    }) as RouteShorthandOptions & never)
  const rows: Record<string, unknown> = {}
  for (const [name, path, isShort] of added) {
    rows[name] = await ask(`${path}/1`)
    if (isShort || (!/stream|response|objects/.test(name) && !inAll.test(name))) continue
    rows[`HEAD, ${name}`] = await ask(`${path}/1`, { method: 'HEAD' })
    rows[`no result, ${name}`] = await ask(`${path}/1`, { method: 'DELETE' })
  }
  for (const name of Object.keys(representations))
    for (const accept of name.startsWith('varies') || name === 'none' ? ['text/plain', json] : accepts)
      rows[`${name}: ${accept}`] = await ask(
        `/${name.replaceAll(' ', '-')}`,
        accept === undefined ? {} : { headers: { accept } }
      )
  isKept(t, rows, 'test/server/whole-senders.txt')
})
