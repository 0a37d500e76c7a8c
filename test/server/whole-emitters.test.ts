import { EventEmitter } from 'node:events'
import { setImmediate as settled } from 'node:timers/promises'
import { feathers } from '@feathersjs/feathers'
import { EventEmitter as EventEmitter3 } from 'eventemitter3'
import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'

// Which events services emit, whose listeners hear them, and what is logged of listeners that fail.

const create = async (_data: object) => ({ id: 1 })
const patch = async () => [{ id: 1 }, { id: 2 }]
const members = { create, patch, remove: patch }

class OnNode extends EventEmitter {
  create = create
  patch = patch
}
class OnEventEmitter3 extends EventEmitter3 {
  create = create
  patch = patch
}
/** An emitter that takes off by `off` whatever listener is given, once or not, and lists no raw ones. */
class Own {
  create = create
  patch = patch
  readonly #inner = new EventEmitter()
  on = (event: string, listener: () => void) => this.#inner.on(event, listener)
  once = (event: string, listener: () => void) => this.#inner.once(event, listener)
  off = (event: string, listener: () => void) => this.#inner.off(event, listener)
  emit = (event: string, ...args: unknown[]) => this.#inner.emit(event, ...args)
  listeners = (event: string) => this.#inner.listeners(event)
  removeAllListeners = (event?: string) => this.#inner.removeAllListeners(event)
  listenerCount = (event: string) => this.#inner.listenerCount(event)
}
const theirs = () => {
  const application = feathers()
  application.use('theirs', { create, patch }, { events: ['shared'] } as never)
  return application.service('theirs')
}
const objects: Record<string, () => object> = {
  plain: () => members,
  'with events': () => ({ ...members, events: ['created', 'own'] }),
  'with events that are no list': () => ({ ...members, events: 'created' }),
  'of Node': () => new OnNode(),
  eventemitter3: () => new OnEventEmitter3(),
  'of its own': () => new Own(),
  'half an emitter': () => ({ ...members, on: Boolean, emit: Boolean }),
  'of Feathers': theirs
}

/** Events may have another name by a hook. */
const rename = {
  hooks: {
    after: {
      create: [
        (context: HookContext) => {
          if (Object(context.data).event) context.event = 'own' as never
        }
      ]
    }
  }
} as object

async function host() {
  const lines: string[] = []
  const stream = {
    write(line: string) {
      const { level, msg, path, event, err } = JSON.parse(line)
      if (err) lines.push(`${level} ${msg} ${path} ${event} ${err.message}`)
    }
  }
  const app = Fastify({ logger: { level: 'info', stream } })
  await app.register(services)
  return { app, lines }
}

t.test('events of services, by the kind of their object', async (t) => {
  const rows: Record<string, unknown> = {}
  for (const [name, toObject] of Object.entries(objects))
    for (const [kind, options] of Object.entries({
      usual: {},
      patched: { events: ['patched'] },
      none: { events: [] }
    })) {
      const { app, lines } = await host()
      const object = toObject() as typeof members & Partial<EventEmitter>
      const service = app.service('in', object as typeof members, { ...options, ...rename })
      const log: unknown[] = []
      for (const event of ['created', 'patched'] as const) {
        service.on(event, (result: unknown) => log.push(`${event} ${JSON.stringify(result)}`))
        service.once(event, () => log.push(`${event} once`))
        service.on(event, () => {
          throw new Error('fails')
        })
        service.once(event, (async () => Promise.reject(new Error('rejects'))) as never)
      }
      const direct = () => log.push('on the object')
      if (name !== 'half an emitter') object.on?.('created', direct)
      if (name !== 'half an emitter') object.once?.('created', direct)
      await service.create({})
      await (service.patch as (...args: unknown[]) => Promise<unknown>)(null, {})
      await service.create({})
      await settled()
      const counts = (['created', 'patched'] as const).map((event) => service.listenerCount(event))
      // The same service at another path: it emits by itself.
      const again = app.service('again', service as never, { ...options, ...rename } as never) as typeof service
      const heard: unknown[] = []
      again.on('created', (result: unknown) => heard.push(result))
      again.on('own' as 'created', () => heard.push('own'))
      service.on('own' as 'created', () => log.push('own'))
      for (const value of [service, again]) await value.create({ event: 'own' })
      await again.create({})
      await settled()
      t.equal(service.removeAllListeners('created').listenerCount('created'), 0)
      const failures = [...new Set(lines)].map(
        (line) => `${lines.filter((item) => item === line).length} times ${line}`
      )
      rows[`${name}, ${kind}`] = [log, counts, heard, failures]
    }
  isKept(t, rows, 'test/server/whole-emitters.txt')
})
