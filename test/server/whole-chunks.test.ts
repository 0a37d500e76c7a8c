import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import t from 'tap'
import { endWithConnection } from '../../lib/server/answer/deadline.js'
import { toBytes, toBytesAtOnce, toChunks } from '../../lib/server/answer/stream.js'
import { isKept } from '../support/kept.js'

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await setImmediate()
}

t.test('the chunks of a stream', async (t) => {
  const isText = (item: unknown): item is string => typeof item === 'string'
  const rows: Record<string, unknown> = {}
  const collect = async (stream: Readable) => {
    const chunks: string[] = []
    try {
      for await (const chunk of stream)
        chunks.push(`${chunk}`.length > 60 ? `${`${chunk}`.length} letters` : `${chunk}`)
    } catch (error) {
      chunks.push(`fails: ${(error as Error).message}`)
    }
    return chunks
  }
  const sources: Record<string, unknown[]> = {
    nothing: [],
    texts: ['a', 'b'],
    objects: [{ a: 1 }, [2], 3, true, null].filter((one) => one !== null),
    'text among objects': [{ a: 1 }, 'b', { c: 1 }],
    'bytes among objects': [{ a: 1 }, Buffer.from('b'), { c: 1 }],
    'as long as a chunk': ['x'.repeat(16_383), 'y', 'z'],
    'one less': ['x'.repeat(16_382), 'y', 'z'],
    'one more': ['x'.repeat(16_384), 'y', 'z'],
    'what is no JSON': [{ a: 1 }, { b: 1n }, { c: 1 }],
    'what has no JSON': [Symbol('a'), { toJSON: () => undefined }]
  }
  const serialize = (item: unknown) => `<${JSON.stringify(item)}>`
  for (const [name, items] of Object.entries(sources)) {
    const [first, ...rest] = items
    rows[name] = await collect(toChunks(Readable.from(items), [], isText))
    rows[`${name}, one read`] = await collect(toChunks(Readable.from(rest), items.length === 0 ? [] : [first], isText))
    if (!/no JSON/.test(name))
      rows[`${name}, serialized`] = await collect(toChunks(Readable.from(items), [], isText, serialize))
  }
  const failing = () =>
    Readable.from(
      (async function* () {
        yield { a: 1 }
        throw new Error('No disk')
      })()
    )
  rows['fails midway'] = await collect(toChunks(failing(), [], isText))
  const source = Readable.from([{ a: 1 }, { b: 1 }])
  const chunks = toChunks(source, [], isText)
  chunks.destroy()
  await turns(3)
  rows['is destroyed'] = [source.destroyed, chunks.destroyed]
  const reply = (stream?: object) => ({
    raw: Object.assign(new EventEmitter(), { headersSent: true, stream }),
    type: (name: string) => void Object.assign(rows, { type: name })
  })
  const asReply = (given: ReturnType<typeof reply>) => given as unknown as FastifyReply
  for (const items of [[{ a: 1 }], ['a'], [Buffer.from('a'), { b: 1 }], []]) {
    const name = JSON.stringify(items)
    delete rows.type
    rows[`bytes of ${name}`] = [
      await collect(await toBytes(Readable.from(items), asReply(reply()), serialize)),
      rows.type ?? 'no type'
    ]
    rows[`bytes at once of ${name}`] = await collect(toBytesAtOnce(Readable.from(items), asReply(reply())))
  }
  delete rows.type
  for (const headersSent of [true, false]) {
    const closed: number[] = []
    const given = reply({ close: (code: number) => closed.push(code) })
    given.raw.headersSent = headersSent
    rows[`fails over HTTP/2, headers sent: ${headersSent}`] = [
      await collect(await toBytes(failing(), asReply(given))),
      closed
    ]
  }
  isKept(t, rows, 'test/server/whole-chunks.txt')
})

t.test('responses that wait for their turn end with their connection', async (t) => {
  const rows: unknown[] = []
  const socket = new EventEmitter()
  const create = (name: string, own: object | null) => {
    const raw = Object.assign(new EventEmitter(), { socket: own, destroy: () => void rows.push(`${name} destroyed`) })
    raw.on('close', () => void rows.push(`${name} closed`))
    endWithConnection({ raw: { socket } } as never, { raw } as never)
    return raw
  }
  create('has its turn', socket)
  rows.push(socket.listenerCount('close'))
  create('first', null)
  const second = create('second', null)
  create('third', null)
  const gets = create('gets its turn', null)
  rows.push(socket.listenerCount('close'))
  second.emit('close')
  gets.socket = socket
  socket.emit('close')
  rows.push(socket.listenerCount('close'))
  socket.emit('close')
  isKept(t, rows, 'test/server/whole-pipeline.txt')
})
