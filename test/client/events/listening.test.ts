import t from 'tap'
import { openEventsSite, until } from '../../support/events-site.js'

t.test('listeners hear of the calls of others, and of their own once', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  const [ada, bob] = [createEventsClient(), createEventsClient()]
  await Promise.all([ada, bob].map((app) => app.authenticate({ strategy: 'local', email: 'ada', password: 'ada' })))
  const heard: unknown[] = []
  const heardByBob: unknown[] = []
  ada.service('notes').on('created', ({ id, text }: { id: number; text?: string }, context) => {
    heard.push([id, text, context?.method])
  })
  bob.service('notes').on('created', ({ id }: { id: number }) => heardByBob.push(id))
  await until(() => ada.events.state === 'live' && bob.events.state === 'live')

  await bob.service('notes').create({ text: 'of Bob' })
  await ada.service('notes').create({ text: 'of Ada' })
  await createServerNote({ text: 'of the server' })
  await until(() => heard.length === 3 && heardByBob.length === 3)
  t.same(heard, [
    [1, undefined, undefined],
    [2, 'of Ada', 'create'],
    [3, undefined, undefined]
  ])
  t.same(heardByBob, [1, 2, 3])
})

t.test(
  'a platform without AbortSignal.timeout, as React Native, goes on listening when it hears of an own call',
  async (t) => {
    const { createEventsClient, createServerNote } = await openEventsSite(t)
    t.intercept(AbortSignal, 'timeout', { value: undefined })
    const app = createEventsClient()
    await app.authenticate({ strategy: 'local', email: 'ada', password: 'ada' })
    const heard: unknown[] = []
    app.service('notes').on('created', ({ id }: { id: number }) => heard.push(id))
    await until(() => app.events.state === 'live')
    app.events.on('stale', () => heard.push('stale'))
    await app.service('notes').create({ text: 'own' })
    await createServerNote({ text: 'of the server' })
    await until(() => heard.length === 2)
    t.same(heard, [1, 2])
  }
)

t.test('a live list is that of a fresh find', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  const app = createEventsClient()
  const list = app.service('notes').live({ query: { kind: 'a', $sort: { id: -1 } } })
  const states: string[] = []
  const stop = list.subscribe(({ state, data }) => states.push(`${state} ${data.map(({ id }) => id)}`))
  await until(() => list.current.state === 'live')
  await createServerNote({ text: 'a', kind: 'a' })
  await until(() => list.current.data.length === 1)
  await createServerNote({ text: 'b', kind: 'b' })
  await createServerNote({ text: 'c', kind: 'a' })
  await until(() => list.current.data.length === 2)
  stop()
  t.same(states, ['loading ', 'live ', 'live 1', 'live 3,1'])
  t.same(list.current, { state: 'loading', data: [], result: undefined, error: undefined })
  t.equal(app.events.state, 'idle')
})

t.test(
  'a call that is answered late holds back no event of another service, and those of its own for a moment',
  async (t) => {
    const { createEventsClient, createServerNote } = await openEventsSite(t)
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const app = createEventsClient({}, async (url: string, init: { method: string }) => {
      const response = await fetch(url, init)
      if (init.method === 'POST' && url.endsWith('/notes')) await answered
      return response
    })
    await app.authenticate({ strategy: 'local', email: 'ada', password: 'ada' })
    const heard: string[] = []
    for (const name of ['notes', 'private'] as const)
      app.service(name).on('created', (_record, context) => heard.push(`${name}${context ? ' of the call' : ''}`))
    await until(() => app.events.state === 'live')
    const call = app.service('notes').create({ text: 'own' })
    await until(async () => (await app.service('notes').find()).length)
    await createServerNote({ text: 'of the server' })
    await app.service('private').create({ text: 'own, too' })
    await until(() => heard.length === 2)
    answer()
    await call
    await until(() => heard.length === 3)
    await createServerNote({ text: 'the last' })
    await until(() => heard.length === 4)
    t.same(heard, ['private of the call', 'notes', 'notes of the call', 'notes'])
  }
)
