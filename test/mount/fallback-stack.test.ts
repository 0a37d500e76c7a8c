import feathersExpress from '@feathersjs/express'
import t, { type Test } from 'tap'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'
import { onExpress, onKoa } from '../support/mounted-frameworks.js'

const paths = ['things', 'rooms/:room/things', 'docs']
const addAll = (theirs: Theirs) => {
  for (const path of paths) theirs.use(path, mirror)
}

/** What the start says of services that their framework answers: the reason for each. */
async function reasonsOf(t: Test, theirs: Theirs, ignoreMiddleware: string[] = []): Promise<Record<string, string>> {
  const lines: string[] = []
  const logger = { level: 'info', stream: { write: (line: string) => void lines.push(JSON.parse(line).msg) } }
  const app = await createMounted(t, theirs, { fallback: true, ignoreMiddleware, server: { logger } })
  await app.ready()
  const line = lines.find((text) => text.includes('answers services')) ?? ''
  return Object.fromEntries(
    [...line.matchAll(/((?:'[^']+'(?:, )?)+) \((.*?)\)(?=, '|$)/g)].flatMap(([, paths = '', reason = '']) =>
      paths.split(', ').map((path) => [path.slice(1, -1), reason])
    )
  )
}

const all = (reason: string) => Object.fromEntries(paths.map((path) => [path, `middleware: ${reason}`]))

async function log(_context: unknown, next: () => Promise<void>) {
  await next()
}

/** As the routers of Koa are: a function that holds the routes. */
const router = (...routes: [path: unknown, ...methods: string[]][]) =>
  Object.assign(async (_context: unknown, next: () => Promise<void>) => next(), {
    router: { stack: routes.map(([path, ...methods]) => ({ path, methods })) }
  })
t.test('middleware of Koa that stands before the services, and after them', async (t) => {
  const before = (...before: unknown[]) => reasonsOf(t, onKoa.create({ before, build: addAll }))
  t.same(await before(log), all('log'))
  t.same(
    await reasonsOf(t, onKoa.create({ after: [log], build: addAll })),
    {},
    'requests for services do not get there'
  )
  t.same(await before(log.bind(undefined)), all('log'))
  t.same(await before((() => {}).bind(undefined).bind(undefined)), all('number 3 of app.use()'))
})

t.test('a router of Koa before the services is named by its routes, and may be ignored', async (t) => {
  const before = (...before: unknown[]) => reasonsOf(t, onKoa.create({ before, build: addAll }))
  t.same(await before(router(['/pages', 'GET'], ['/pages/:id', 'GET'], ['/'])), all('a router (/pages, /pages/:id)'))
  t.same(await before(router([/^\/x/, 'GET'])), all('a router (/^\\/x/)'))
  t.same(await before(router(['/'])), all('a router (without routes)'))
  const theirs = onKoa.create({ before: [router(['/pages', 'GET'])], build: addAll })
  t.same(await reasonsOf(t, theirs, ['a router (/pages)']), {})
})

t.test('middleware of Express, before the services and behind them', async (t) => {
  const express = feathersExpress.original
  const handle = (_request: unknown, _response: unknown, next: () => void) => next()
  const build = (add: (theirs: ReturnType<typeof express>) => unknown, isLast = false) => {
    const theirs = onExpress.create({
      before: [],
      build: (theirs) => {
        if (isLast) add(theirs as never)
        addAll(theirs)
      }
    })
    if (isLast) return theirs
    const { stack } = (theirs as unknown as { _router: { stack: unknown[] } })._router
    add(theirs as never)
    // As if it had been added first, behind what Express itself has put there.
    stack.splice(2, 0, stack.pop())
    return theirs
  }
  const before = (add: (theirs: ReturnType<typeof express>) => unknown) => reasonsOf(t, build(add))
  t.same(await before((app) => app.use(handle)), all('handle'))
  t.same(await before((app) => app.use('/docs', handle)), all('handle'))
  t.same(await before((app) => app.get(['/docs', '/things/:a/b'], handle)), all('a route (/docs, /things/:a/b)'))
  t.same(await before((app) => app.get('*', handle)), all('a route (*)'))
  t.same(await before((app) => app.use(express.Router())), all('router'))
  t.same(
    await reasonsOf(
      t,
      build((app) => app.use(handle), true)
    ),
    {},
    'behind the services'
  )
  const onError = (_error: unknown, _request: unknown, _response: unknown, next: () => void) => next()
  t.same(
    await reasonsOf(
      t,
      build((app) => app.use(onError), true)
    ),
    all('onError'),
    'but for their errors'
  )
  const guard = feathersExpress.authenticate('jwt')
  t.match(
    await reasonsOf(
      t,
      build((app) => app.use(guard), true)
    ),
    { things: /^middleware: number \d of app/ },
    'what has the code of the services'
  )
})

t.test('an application without services over REST: what it has may be before anything', async (t) => {
  const { koa } = await import('@feathersjs/koa')
  const { feathers } = await import('@feathersjs/feathers')
  const theirs = koa(feathers())
  theirs.use(log as never)
  theirs.use('things', mirror)
  t.same(await reasonsOf(t, theirs as never), { things: 'middleware: log' })
})
