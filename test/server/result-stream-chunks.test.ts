import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import Fastify, { type onSendAsyncHookHandler } from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'

/** Asks for the result of a function over a socket of its own, from which nothing is read yet. */
async function ask(t: Test, result: () => unknown, onSend?: onSendAsyncHookHandler): Promise<Socket> {
  const app = Fastify({ forceCloseConnections: true })
  if (onSend) app.addHook('onSend', onSend)
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', { get: async () => result() })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.write('GET /things/1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  return socket
}

async function readUntil(socket: Socket, text: string): Promise<string> {
  let read = ''
  while (!read.includes(text)) read += await once(socket, 'data')
  return read
}

/** The chunks of the body, as they stand on the wire; the last one is empty if the answer is whole. */
async function chunksOf(socket: Socket): Promise<string[]> {
  let answer = ''
  for await (const piece of socket) answer += piece
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  return [...body.matchAll(/[\da-f]+\r\n([^\r]*)\r\n/g)].map(([, chunk]) => chunk as string)
}

const records = Array.from({ length: 2000 }, (_, id) => ({ id }))
const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')

async function* generate() {
  yield* records
}

t.test('each record is sent when it is there', async (t) => {
  const source = new PassThrough({ objectMode: true })
  const socket = await ask(t, () => source)
  for (const id of [1, 2, 3]) {
    source.write({ id })
    await readUntil(socket, `{"id":${id}}`)
  }
  source.end()
})

for (const [name, result] of Object.entries({
  'a Node stream': () => Readable.from(records),
  'a generator': generate
})) {
  t.test(`records that are ready are one chunk: ${name}`, async (t) => {
    const chunks = await chunksOf(await ask(t, result))
    t.equal(chunks.join(''), lines)
    t.ok(chunks.length < 20, `${chunks.length} chunks`)
    t.equal(chunks.at(-1), '')
  })
}

t.test('a record does not wait for the next one', async (t) => {
  let give: (value?: unknown) => void = () => {}
  const socket = await ask(t, async function* () {
    yield { id: 1 }
    await new Promise((resolve) => {
      give = resolve
    })
    yield { id: 2 }
  })
  t.notMatch(await readUntil(socket, '{"id":1}'), '{"id":2}')
  give()
  t.ok(await readUntil(socket, '{"id":2}'))
})

t.test('a source that is destroyed between two records cuts the answer off', async (t) => {
  const source = new Readable({ objectMode: true, read() {} })
  source.push({ id: 1 })
  const socket = await ask(t, () => source)
  await readUntil(socket, '{"id":1}')
  source.destroy()
  let rest = ''
  for await (const piece of socket) rest += piece
  t.notMatch(rest, '0\r\n\r\n')
})

t.test('no more is read from the source than a client that does not read leaves room for', async (t) => {
  let count = 0
  const text = 'x'.repeat(1000)
  await ask(t, async function* () {
    for (;;) yield { id: ++count, text }
  })
  let before = -1
  while (count === 0 || count !== before) {
    before = count
    for (let turn = 0; turn < 100; turn++) await setImmediate()
  }
  t.ok(count < 50_000, `${count} records of a thousand characters`)
})

t.test('bytes among records are sent as they are, in their place', async (t) => {
  const items = [{ id: 1 }, Buffer.from('bytes\n'), 'text', Buffer.alloc(0), { id: 2 }]
  t.equal((await chunksOf(await ask(t, () => Readable.from(items)))).join(''), '{"id":1}\nbytes\n"text"\n{"id":2}\n')
})

const failing: Record<string, () => unknown> = {
  'a source that fails': async function* () {
    yield* [{ id: 1 }, { id: 2 }]
    throw new Error('no disk')
  },
  'a record that is no JSON': () => Readable.from([{ id: 1 }, { id: 2 }, { big: 1n }, { id: 3 }])
}

for (const [name, result] of Object.entries(failing)) {
  t.test(`what stands before a failure is sent, and the answer is cut off: ${name}`, async (t) => {
    const chunks = await chunksOf(await ask(t, result))
    t.equal(chunks.join(''), '{"id":1}\n{"id":2}\n')
    t.not(chunks.at(-1), '')
  })
}

t.test('who reads while a chunk arrives gets no line twice', async (t) => {
  const wide = records.map(({ id }) => ({ id, text: 'x'.repeat(100) }))
  const socket = await ask(
    t,
    () => Readable.from(wide),
    async (_request, _reply, payload) => {
      const chunks = payload as Readable
      let sent = ''
      chunks.on('data', (chunk) => {
        sent += chunk
        chunks.read()
      })
      await once(chunks, 'end')
      return sent
    }
  )
  let answer = ''
  for await (const piece of socket) answer += piece
  t.equal(answer.split('\r\n\r\n')[1], wide.map((record) => `${JSON.stringify(record)}\n`).join(''))
})
