import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type Params, version } from 'fastify-services'
import t, { type Test } from 'tap'
import { createGate } from '../support/gate.js'

interface Note {
  readonly id?: number
  readonly text: string
  readonly version?: number
}
/** What a write is told: which others it makes within its own, each with its service and its params. */
interface Patch {
  readonly text: string
  readonly within?: readonly (readonly [path: string, params?: Params])[]
}

/** Two services in memory, of which each may write records of both within its own writes. */
async function start(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  let last = 0
  await app.register(services, { hooks: { around: { all: [version('version', { set: () => ++last })] } } })
  const begun = new Map<string, ReturnType<typeof createGate>>()
  const held = new Map<string, ReturnType<typeof createGate>>()
  class Nested extends MemoryService<Note> {
    override async patch(...args: never[]): Promise<never> {
      const [id, { text, within = [], ...data }, params] = args as unknown as [number, Patch, never]
      begun.get(text)?.open()
      await held.get(text)?.opened
      const record = await super.patch(id, { ...data, text } as never, params)
      for (const [path, ofCall] of within) await patchAt(path, { text: `within ${text}` }, ofCall)
      return record as never
    }
  }
  const notes = new Nested({ startId: 1 })
  for (const [path, object] of Object.entries({ notes, copies: notes, rooms: new Nested({ startId: 1 }) }))
    app.service(path, object as never)
  await app.ready()
  interface Writer {
    create(data: Note): Promise<Note>
    patch(id: number, data: Patch, params?: Params): Promise<Note>
  }
  const at = (path: string) => app.service(path as never) as unknown as Writer
  const patchAt = (path: string, data: Patch, params?: Params) => at(path).patch(1, data, params)
  /** @returns what became of a write: its text, or the status of its error */
  const patch = (path: string, data: Patch, params?: Params): Promise<unknown> =>
    patchAt(path, data, params).then(
      ({ text }) => text,
      ({ code }: { code: number }) => code
    )
  /** Holds the write of a text up, once it has begun. */
  const hold = (text: string) => {
    const gates = [createGate(), createGate()] as const
    begun.set(text, gates[0])
    held.set(text, gates[1])
    return { begun: gates[0].opened, goOn: gates[1].open }
  }
  const { version: ifMatch } = await at('notes').create({ text: 'first' })
  await at('rooms').create({ text: 'first' })
  return { patch, hold, ifMatch }
}

const drainTicks = () => new Promise(setImmediate)

t.test('a write within that of another service waits for the writes of its own', async (t) => {
  for (const path of ['notes', 'copies']) {
    const { patch, hold, ifMatch } = await start(t)
    const { begun, goOn } = hold('direct')
    const direct = patch(path, { text: 'direct' }, { ifMatch })
    await begun
    const room = patch('rooms', { text: 'room', within: [['notes', { ifMatch }]] })
    await drainTicks()
    goOn()
    t.same(await Promise.all([direct, room]), ['direct', 412], 'of two that name the same version one succeeds')
  }
})

t.test('a write at a place that is held around it waits for nobody', async (t) => {
  const { patch } = await start(t)
  const within = [['copies'], ['notes'], ['rooms']] as const
  t.same(await Promise.all(Array.from('ab', (text) => patch('notes', { text, within }))), ['a', 'b'])
})

t.test(
  'of writes within another one that name the same version one succeeds, awaited or not, and none beside them',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    let last = 0
    await app.register(services, { hooks: { around: { all: [version('version', { set: () => ++last })] } } })
    const answers: Promise<unknown>[] = []
    const write = (data: object, params: Params) =>
      (app.service('notes' as never) as unknown as MemoryService<Note>).patch(2, data as never, params as never).then(
        () => 200,
        ({ code }: { code: number }) => code
      )
    class Notes extends MemoryService<Note> {
      override async get(...args: never[]): Promise<never> {
        const note = await super.get(...(args as unknown as [number]))
        await drainTicks()
        return note as never
      }
      override async patch(...args: never[]): Promise<never> {
        const [id, data, params] = args as unknown as [number, object, never]
        if (id === 1) answers.push(...['a', 'b'].map((text) => write({ text }, { ifMatch: 2 })))
        return super.patch(id, data as never, params) as never
      }
    }
    app.service('notes', new Notes({ startId: 1 }) as never)
    const notes = app.service('notes' as never) as unknown as MemoryService<Note>
    for (const text of ['first', 'second']) await notes.create({ text })
    await notes.patch(1, { text: 'outer' })
    answers.push(write({ text: 'beside' }, { ifMatch: 2 }))
    t.same(await Promise.all(answers), [200, 412, 412])
  }
)

t.test(
  'a write that others have begun and left waits for those of them at its own place, and for none elsewhere',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { hooks: { around: { all: [version('version')] } } })
    const gates = { inner: createGate(), room: createGate() }
    const left: Promise<unknown>[] = []
    const order: string[] = []
    const write = async (path: string, text: string) => {
      await (app.service(path as never) as unknown as MemoryService<Note>).patch(1, { text } as never)
      order.push(text)
    }
    class Left extends MemoryService<Note> {
      override async patch(...args: never[]): Promise<never> {
        const [, { text }] = args as unknown as [number, Note]
        if (text === 'outer') left.push(write('notes', 'inner'), write('rooms', 'room'))
        await gates[text as 'inner']?.opened
        if (text === 'room') await write('notes', 'last')
        return super.patch(...(args as unknown as [number, never])) as never
      }
    }
    for (const path of ['notes', 'rooms']) {
      app.service(path, new Left({ startId: 1 }) as never)
      await (app.service(path as never) as unknown as MemoryService<Note>).create({ text: 'first' })
    }
    await write('notes', 'outer')
    gates.room.open()
    await drainTicks()
    gates.inner.open()
    await Promise.all(left)
    t.same(order, ['outer', 'inner', 'last', 'room'])
  }
)

t.test('writes that each begin the next one and do not wait for it may go on for any time', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  let steps = 0
  const { opened: ended, open: end } = createGate()
  class Chain extends MemoryService<Note> {
    override async patch(...args: never[]): Promise<never> {
      const record = await super.patch(...(args as unknown as [number, never]))
      // The write that has begun this one is over by then.
      await drainTicks()
      const next = () => void chains[steps % 2]?.patch(...([1, {}] as never[]))
      if (++steps === 30_000) end()
      // One begins the next one when it is over.
      else if (steps === 10) setImmediate(next)
      else next()
      return record as never
    }
  }
  await app.register(services, { hooks: { around: { all: [version('version', { set: () => steps })] } } })
  const chains = ['evens', 'odds'].map(
    (path) => app.service(path, new Chain({ startId: 1 }) as never) as unknown as Chain
  )
  for (const chain of chains) await chain.create({ text: 'a' } as never)
  void chains[0]?.patch(...([1, {}] as never[]))
  await ended
  t.equal(steps, 30_000)
})

t.test('of two writes of which each would wait for the other, the later one is to try again', async (t) => {
  const { patch, hold } = await start(t)
  const [note, room] = [hold('note'), hold('room')]
  const answers = [
    patch('notes', { text: 'note', within: [['rooms']] }),
    patch('rooms', { text: 'room', within: [['notes']] })
  ]
  await Promise.all([note.begun, room.begun])
  // A third one waits between them.
  answers.push(patch('rooms', { text: 'between' }))
  note.goOn()
  await drainTicks()
  room.goOn()
  t.same(await Promise.all(answers), ['note', 503, 'between'])
  t.equal(await patch('rooms', { text: 'room', within: [['notes']] }), 'room', 'the same write again')
})
