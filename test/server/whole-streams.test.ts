import { EventEmitter } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import Fastify, { type FastifyReply } from 'fastify'
import services, { type HookContext } from 'fastify-services'
import t from 'tap'
import type { Caller } from '../../lib/core/http-call.js'
import { adopt, release } from '../../lib/server/answer/sources.js'
import { breakOff, close, isStream, listenForLoss, streamIn } from '../../lib/server/answer/stream.js'
import { isKept } from '../support/kept.js'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await turn()
}

/** A stream of each kind, and the notes of what is done to it. */
function createStreams(notes: string[]) {
  const note = (text: string) => void notes.push(text)
  const destroyed = <T extends Readable>(stream: T, name: string) =>
    stream.on('close', () => note(`${name} closed`)).on('error', ({ message }) => note(`${name} failed: ${message}`))
  const web = (name: string) => new ReadableStream({ cancel: () => note(`${name} canceled`) })
  const locked = web('locked')
  locked.getReader()
  async function* generate() {
    try {
      yield 1
      yield 2
    } finally {
      note('generator returned')
    }
  }
  const begun = generate()
  const old = Object.assign(new EventEmitter(), { pipe: (to: unknown) => to, destroy: () => note('old destroyed') })
  return {
    readable: destroyed(new Readable({ read() {} }), 'readable'),
    objects: destroyed(new Readable({ objectMode: true, read() {} }), 'objects'),
    'pass-through': destroyed(new PassThrough(), 'pass-through'),
    web: web('web'),
    locked,
    begun: begun.next().then(() => begun),
    'not begun': generate(),
    iterable: { [Symbol.asyncIterator]: () => generate() },
    old,
    'old without destroy': Object.assign(new EventEmitter(), { pipe: (to: unknown) => to }),
    'old that fails': { pipe: note, on: note.bind(undefined, 'on'), off: 5, destroy: () => note('it fails') },
    response: new Response(web('body') as ReadableStream),
    'response without a body': new Response(null),
    object: { pipe: 'text' },
    null: null,
    text: 'text'
  }
}
const count = (stream: unknown) =>
  stream instanceof EventEmitter
    ? Object.fromEntries(['data', 'end', 'error'].map((name) => [name, stream.listenerCount(name)]))
    : 'none'

t.test('what is a stream, how it is closed, broken off and listened to', async (t) => {
  const rows: Record<string, unknown> = {}
  for (const name of Object.keys(createStreams([])) as (keyof ReturnType<typeof createStreams>)[]) {
    const notes: string[] = []
    const make = async () => (await createStreams(notes)[name]) as never
    const one = await make()
    const found = streamIn(one)
    const row: unknown[] = [isStream(one), found === undefined ? 'none' : found === one ? 'itself' : 'its body']
    if (found !== undefined) {
      const before = count(found)
      const stop = listenForLoss(found, ({ message }) => void notes.push(`lost: ${message}`))
      row.push(before, count(found))
      stop()
      row.push(count(found))
      close(found)
      await turns(3)
      row.push(notes.splice(0))
      const other = streamIn(await make()) as Readable
      breakOff(other, new Error('broken'))
      await turns(3)
      row.push(notes.splice(0))
    }
    rows[name] = row
  }
  isKept(t, rows, 'test/server/whole-streams.txt')
})

/** The caller of a call, as far as streams ask for it. */
function createCaller() {
  const ends: (() => void)[] = []
  return { isOver: false, onEnd: (end: () => void) => void ends.push(end), ends }
}

t.test('which streams are closed at the end of a call', async (t) => {
  const rows: Record<string, unknown> = {}
  const run = async (name: string, act: (one: (name: string) => Readable, notes: string[]) => unknown) => {
    const notes: string[] = []
    const one = (name: string) =>
      new PassThrough()
        .on('close', () => void notes.push(`${name} closed`))
        .on('error', ({ message }) => void notes.push(`${name} failed: ${message}`))
    const told = await act(one, notes)
    await turns(3)
    rows[name] = [...notes, ...(told === undefined ? [] : [told])]
  }
  const context = () => ({}) as HookContext
  await run('two, at the end of an answer', (one) => {
    const [of, caller] = [context(), createCaller()]
    for (const name of ['first', 'second']) adopt(one(name), of, caller as unknown as Caller)
    const { length } = caller.ends
    for (const end of caller.ends) end()
    return length
  })
  await run('one twice', (one) => {
    const [of, caller, stream] = [context(), createCaller(), one('it')]
    adopt(stream, of, caller as unknown as Caller)
    const once = count(stream)
    adopt(stream, of, caller as unknown as Caller)
    return [once, count(stream)]
  })
  await run('when the answer is over', (one) => {
    adopt(one('late'), context(), { ...createCaller(), isOver: true } as unknown as Caller)
  })
  await run('no stream', () => {
    const [of, caller] = [context(), createCaller()]
    for (const value of [undefined, null, 'text', {}, new Response(null)]) adopt(value, of, caller as unknown as Caller)
    return caller.ends.length
  })
  for (const hasFailed of [false, true])
    await run(`of a call of the server, failed: ${hasFailed}`, (one) => {
      const of = context()
      const streams = [one('first'), one('second')]
      for (const stream of streams) adopt(stream, of, undefined)
      const before = streams.map(count)
      release(of, hasFailed)
      release(context(), hasFailed)
      return [before, streams.map(count)]
    })
  for (const flows of [true, false])
    await run(`the second of three fails, flows: ${flows}`, async (one) => {
      const of = context()
      const all = ['first', 'second', 'third'].map(one)
      for (const stream of all) adopt(stream, of, undefined)
      if (flows) all[1]?.resume()
      all[1]?.destroy(new Error('No disk'))
      await turns(3)
      return all.map((stream) => stream.destroyed)
    })
  isKept(t, rows, 'test/server/whole-sources.txt')
})

t.test('HEAD closes what formatters and middleware make themselves', async (t) => {
  const rows: Record<string, unknown> = {}
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const made: Readable[] = []
  const make = () => {
    const stream = new Readable({ objectMode: true, read() {} }).on('error', () => {})
    made.push(stream)
    return stream
  }
  const get = async () => ({})
  const options = {
    'formatter gives': { formatter: make },
    'formatter sends': { formatter: (_request: unknown, reply: FastifyReply) => void reply.send(make()) },
    'before sends': { before: async (_request: unknown, reply: FastifyReply) => reply.send(make()) },
    'after sends': { after: async (_request: unknown, reply: FastifyReply) => reply.send(make()) },
    'after sets': {
      after: async (_request: unknown, reply: FastifyReply) => void Object.assign(reply, { data: make() })
    }
  }
  for (const [name, one] of Object.entries(options)) app.service(name.replace(' ', '-'), { get }, one as object)
  for (const name of Object.keys(options)) {
    const { statusCode, body } = await app.inject({ method: 'HEAD', url: `/${name.replace(' ', '-')}/1` })
    await turns(2)
    rows[name] = [statusCode, body, made.splice(0).map((stream) => stream.destroyed)]
  }
  isKept(t, rows, 'test/server/whole-heads.txt')
})
