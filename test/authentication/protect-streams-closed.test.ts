import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import t from 'tap'
import { createProtected, record } from '../support/auth-passwords-protect.js'

t.test(
  'protect: a source that fails, at once, before it is read or on the way, is an error and ends nothing',
  async (t) => {
    const sources = {
      'at once': () =>
        new Readable({
          objectMode: true,
          read() {
            this.destroy(new Error('s3cret'))
          }
        }),
      'of the web': () => new ReadableStream({ start: (controller) => controller.error(new Error('s3cret')) }),
      'a record that can not be read': () =>
        Readable.from([
          {
            get name() {
              throw new Error('s3cret')
            }
          }
        ]),
      'a record of the web that can not be read': () =>
        Readable.toWeb(
          Readable.from([
            {
              toJSON() {
                throw new Error('s3cret')
              }
            }
          ])
        ),
      'closed without its end': () => {
        const stream = new PassThrough({ objectMode: true })
        stream.destroy()
        return stream
      }
    }
    for (const [name, answer] of Object.entries(sources)) {
      const { app, send } = await createProtected(t, { answer })
      app.addHook('onSend', async () => void (await new Promise(setImmediate)))
      t.equal((await send('GET', '/things/1')).status, 500, name)
      const pending = (await app.service('things').get(1, { provider: 'rest' })) as Readable
      if (!(pending instanceof Readable)) continue
      if (!pending.closed) await new Promise((resolve) => pending.once('close', resolve))
      t.equal(pending.destroyed, true, `${name}: nobody has read it`)
    }
  }
)

t.test('protect: what closes the answer closes the source', async (t) => {
  let isClosed = () => {}
  async function* endless() {
    try {
      for (let id = 1; ; id++) {
        await new Promise(setImmediate)
        yield record(id)
      }
    } finally {
      isClosed()
    }
  }
  const web = () => {
    const items = endless()
    return new ReadableStream({
      pull: async (controller) => controller.enqueue((await items.next()).value),
      cancel: async () => void (await items.return())
    })
  }
  for (const answer of [() => Readable.from(endless()), web]) {
    const { app } = await createProtected(t, { answer })
    const closed = () =>
      new Promise<void>((resolve) => {
        isClosed = resolve
      })
    await app.listen({ port: 0 })
    const left = closed()
    const request = get({ port: (app.server.address() as AddressInfo).port, path: '/things/1' })
    const [response] = await once(request, 'response')
    await once(response, 'data')
    request.destroy()
    await left
    t.pass('a client that leaves')

    const stream = (await app.service('things').get(1, { provider: 'rest' })) as Readable | ReadableStream
    const dropped = closed()
    if (stream instanceof Readable) {
      await once(stream, 'readable')
      stream.destroy()
    } else {
      const reader = stream.getReader()
      await reader.read()
      await reader.cancel()
    }
    await dropped
    t.pass('one that is not sent')
  }
})
