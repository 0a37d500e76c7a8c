import { Readable } from 'node:stream'
import t from 'tap'
import type { Api } from '../support/client-api.js'
import { createEcho } from '../support/client-app.js'
import { createDrivers } from '../support/client-drivers.js'

type Send = (api: Api, base: string) => Promise<unknown>

// In a page a body is made where it is sent.
const bodies: Record<string, Send> = {
  FormData: ({ client }, base) => {
    const form = new FormData()
    form.set('text', 'ä')
    form.set('file', new Blob(['bytes'], { type: 'text/plain' }), 'a.txt')
    return client(base)
      .service('things')
      .create(form as never)
  },
  URLSearchParams: ({ client }, base) =>
    client(base)
      .service('things')
      .create(new URLSearchParams({ text: 'a b' }) as never),
  Blob: ({ client }, base) =>
    client(base)
      .service('things')
      .create(new Blob(['bytes'], { type: 'text/plain' }) as never),
  bytes: ({ client }, base) =>
    client(base)
      .service('things')
      .create(new TextEncoder().encode('bytes') as never, { headers: { 'Content-Type': 'text/plain' } })
}
const form = [/^multipart\/form-data; ?boundary=/, /name="text"\r\n\r\nä\r\n[\s\S]*filename="a.txt"[\s\S]*bytes/]
const search = [/^application\/x-www-form-urlencoded/, /^text=a(\+|%20)b$/]
const plain = [/^text\/plain/, /^bytes$/]
const expected: Record<string, (RegExp | undefined)[]> = {
  FormData: form,
  URLSearchParams: search,
  Blob: plain,
  bytes: plain
}

// superagent and request have forms of their own for the rest.
const can: Record<string, readonly string[]> = {
  fetch: ['FormData', 'URLSearchParams', 'Blob', 'bytes'],
  axios: ['FormData', 'URLSearchParams', 'Blob', 'bytes'],
  jquery: ['FormData', 'URLSearchParams', 'Blob', 'bytes'],
  superagent: [],
  request: []
}

t.test('Bodies that are not JSON are sent as they are, where the library can', async (t) => {
  const { address, asked } = await createEcho(t)
  for (const { adapter, run } of await createDrivers(t))
    for (const name of can[adapter] ?? []) {
      t.same(await run(bodies[name] as Send, address), {}, `${adapter}: ${name}`)
      const [{ headers, body } = { headers: {}, body: '' }] = asked.splice(0)
      const [type, text] = expected[name] ?? []
      t.match([headers['content-type'], body], [type, text], `${adapter}: ${name}`)
    }
})

t.test('streams and Buffers in Node', async (t) => {
  const { address, asked } = await createEcho(t)
  const headers = { 'Content-Type': 'text/plain' }
  const made = {
    stream: () => Readable.from([Buffer.from('by'), Buffer.from('tes')]),
    web: () => new Blob(['bytes']).stream(),
    buffer: () => Buffer.from('bytes')
  }
  const rows = {
    fetch: ['stream', 'web', 'buffer'],
    axios: ['stream', 'buffer'],
    superagent: ['buffer'],
    request: ['buffer']
  }
  for (const { adapter, run } of await createDrivers(t))
    for (const name of (rows as Record<string, (keyof typeof made)[]>)[adapter] ?? []) {
      const send: Send = ({ client }, base) =>
        client(base)
          .service('things')
          .create(made[name]() as never, { headers })
      await run(send, address)
      t.match(asked.splice(0), [{ body: 'bytes', headers: { 'content-type': 'text/plain' } }], `${adapter}: ${name}`)
    }
})
