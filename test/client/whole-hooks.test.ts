import { createClient, type HookContext, rest } from 'fastify-services/client'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { createFetch, outcome, outcomes } from './outcome.js'

type Methods = Record<string, (...args: unknown[]) => unknown>

const { library } = createFetch(({ method, url }) => Response.json({ is: `${method} ${url}` }))
const connect = (base = 'http://a') => rest(base).fetch(library)

t.test('hooks, events and errors of listeners', async (t) => {
  const log: unknown[] = []
  const logger = { error: (error: unknown) => log.push(['logged', String(error)]) }
  const note = (name: string) => (context: HookContext) =>
    void log.push([name, context.method, context.app === app, context.path])
  const app = createClient({ logger }).configure(connect())
  app.use('things', connect('http://b').service('things'), {
    methods: ['act'],
    events: ['own'],
    hooks: { before: { all: [note('own')], act: [note('act')] } }
  })
  const returned = app.hooks({ before: { all: [note('all')] }, after: { create: [note('after')] } })
  const things = app.service('things')
  for (const event of ['created', 'updated', 'patched', 'removed', 'own'])
    things.on(event, (record: unknown) => void log.push([event, record]))
  things.on('created', () => {
    throw new Error('of a listener')
  })
  const rows: Record<string, () => unknown> = {
    create: () => things.create({}),
    'create of two': () => things.create([{}, {}] as never),
    update: () => things.update(1, {}),
    patch: () => things.patch(null, {}),
    remove: () => things.remove(1),
    find: () => things.find(),
    act: () => (things as unknown as Methods).act?.({}),
    'hooks that come later': () => {
      things.hooks({ after: { find: [note('later')] } })
      app.hooks({ before: { find: [note('all, later')] } })
      return things.find()
    },
    'events of its own in place of the standard ones': () => {
      app.use('loud', connect().service('loud'), { events: ['created'] })
      const loud = app.service('loud')
      for (const event of ['created', 'patched']) loud.on(event, (record: unknown) => void log.push([event, record]))
      return Promise.all([loud.create({}), loud.patch(1, {})])
    },
    'a service that comes later': () => app.service('more').find(),
    'events of the application': () => {
      app.on('own', (...args: unknown[]) => void log.push(['app', ...args]))
      return [app.emit('own', 1, 2), app.emit('other'), app.listenerCount('own'), returned === app]
    },
    'without a logger': () =>
      createClient({ logger: false })
        .on('x', () => {
          throw new Error('quiet')
        })
        .emit('x'),
    'hooks that are none': () => app.hooks({ before: { find: ['no'] } } as never),
    'hooks of no type': () => app.hooks({ before: {}, befor: {} } as never)
  }
  const table = await outcomes(rows, async (row) => {
    const result = await outcome(row)
    return [result, ...log.splice(0)]
  })
  const { error } = console
  console.error = (...args: unknown[]) => log.push(['console', ...args.map(String)])
  createClient()
    .on('x', () => {
      throw new Error('to the console')
    })
    .emit('x')
  console.error = error
  isKept(t, { ...table, console: log }, 'test/client/whole-hooks.txt')
})
