import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  and,
  createCollection,
  createLiveQueryCollection,
  eq,
  gt,
  IR,
  inArray,
  isNull,
  like,
  lt,
  lte,
  or
} from '@tanstack/db'
import { QueryClient } from '@tanstack/query-core'
import { build } from 'esbuild'
import { BadRequest } from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import t from 'tap'
import { serviceCollection, toQuery } from '../../examples/frameworks/tanstack-db.js'
import { keepLive } from '../../examples/frameworks/tanstack-query.js'
import { root } from '../package/sources.js'
import { executablePath, howToInstall, openPage } from '../support/chromium.js'
import { type Note, openEventsSite, until } from '../support/events-site.js'

const refs = {
  id: new IR.PropRef<number>(['id']),
  user: new IR.PropRef<number>(['user']),
  text: new IR.PropRef<string>(['text'])
}
type Ref = typeof refs

t.test('the page has the programs as they are', async (t) => {
  // Lines of a page are shorter.
  const readText = (file: string) => readFileSync(file, 'utf8').replace(/\s+/g, '')
  const page = readText('docs/frameworks.md')
  for (const file of ['react/use-live.ts', 'tanstack-query.ts'])
    t.ok(page.includes(readText(`examples/frameworks/${file}`)), file)
  t.ok(page.includes('](../examples/frameworks/tanstack-db.ts)'))
})

t.test('TanStack Query: what a query has found stays as the server has it', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  const service = createEventsClient().service('notes')
  const queryClient = new QueryClient()
  const queryKey = ['notes', { kind: 'a' }]
  const query = { kind: 'a' }
  await queryClient.fetchQuery({ queryKey, queryFn: () => service.find({ query }) })
  const stop = keepLive(queryClient, queryKey, service.live({ query }))
  const texts = () => (queryClient.getQueryData(queryKey) as Note[]).map(({ text }) => text)
  await createServerNote({ text: 'here', kind: 'a' })
  await createServerNote({ text: 'not here', kind: 'b' })
  await until(() => texts().length > 0)
  t.same(texts(), ['here'])
  stop()
  queryClient.clear()
})

t.test('TanStack Query: an answer that began before the list was read does not replace it', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  const service = createEventsClient().service('notes')
  const queryClient = new QueryClient()
  const queryKey = ['notes']
  let answer = (_notes: Note[]) => {}
  const late = new Promise<Note[]>((resolve) => {
    answer = resolve
  })
  const fetched = queryClient.fetchQuery({ queryKey, queryFn: () => late }).catch(() => {})
  await createServerNote({ text: 'here', kind: 'a' })
  const stop = keepLive(queryClient, queryKey, service.live())
  const texts = () => queryClient.getQueryData<Note[]>(queryKey)?.map(({ text }) => text)
  await until(() => texts()?.length === 1)
  answer([])
  await fetched
  await late
  t.same(texts(), ['here'])
  stop()
  queryClient.clear()
})

t.test('TanStack DB: live queries become live lists, and what the server refuses is rolled back', async (t) => {
  const queries: unknown[] = []
  // Who may hear is asked with `$limit=0`.
  const note = ({ params }: { params: { query: { $limit?: string } } }) =>
    void (params.query.$limit !== '0' && queries.push(params.query))
  const refuse = ({ data }: { data: Partial<Note> }) => {
    if (data.text === '') throw new BadRequest('A note has a text')
  }
  const { createEventsClient, createServerNote } = await openEventsSite(t, {}, (app) => {
    const before = { find: [note as never], create: [refuse as never], patch: [refuse as never] }
    app.service('notes').hooks({ before })
  })
  for (const text of ['c', 'a', 'b']) await createServerNote({ text, kind: 'x' })
  await createServerNote({ text: 'of another kind', kind: 'y' })
  const service = createEventsClient().service('notes')
  const notes = createCollection(serviceCollection<Note>(service as never))
  const first = createLiveQueryCollection((q) =>
    q
      .from({ note: notes })
      .where(({ note }) => and(eq(note.kind, 'x'), lt(note.text, 'z')))
      .orderBy(({ note }) => note.text)
      .limit(2)
  )
  await first.preload()
  const texts = () => first.toArray.map(({ text }) => text)
  t.same(texts(), ['a', 'b'])
  t.match(
    queries,
    [{ kind: 'x', text: { $lt: 'z' }, $sort: { text: '1' }, $limit: '2' }],
    'the server selects, sorts and limits'
  )
  await createServerNote({ text: 'aa', kind: 'x' })
  await until(() => texts()[1] === 'aa')

  const inserted = notes.insert({ id: -1, text: '0', kind: 'x' })
  t.same(texts(), ['0', 'a'], 'at once')
  await inserted.isPersisted.promise
  t.same(texts(), ['0', 'a'])

  const refused = notes.update(2, (draft) => {
    draft.text = ''
  })
  t.same(texts(), ['', '0'], 'at once')
  await t.rejects(refused.isPersisted.promise, { message: 'A note has a text' })
  t.same(texts(), ['0', 'a'], 'rolled back')

  await notes.delete(2).isPersisted.promise
  await until(() => texts()[1] === 'aa')
  const elsewhere = notes.insert({ id: -2, text: 'nowhere', kind: 'z' })
  await elsewhere.isPersisted.promise
  t.notOk(notes.has(-2), 'what is in no list is shown for a moment')
  await first.cleanup()
  await notes.cleanup()
})

t.test('TanStack DB: what a query says becomes that of a service', async (t) => {
  const where = (build: (note: Ref) => unknown) => ({ where: build(refs) as never })
  t.same(toQuery({}), {})
  t.same(toQuery(where((note) => or(isNull(note.user), inArray(note.id, [1, 2])))), {
    $or: [{ user: null }, { id: { $in: [1, 2] } }]
  })
  t.same(toQuery(where((note) => and(gt(note.id, 1), lte(note.id, 9)))), { id: { $gt: 1, $lte: 9 } })
  t.same(toQuery(where((note) => and(eq(note.id, 1), lte(note.id, 9)))), { $and: [{ id: 1 }, { id: { $lte: 9 } }] })
  const twice = [{ id: { $gt: 5 } }, { id: { $gt: 1 } }]
  t.same(toQuery(where((note) => and(gt(note.id, 5), gt(note.id, 1)))), { $and: twice })
  const nullOrLess = { $and: [{ user: null }, { user: { $lt: 9 } }] }
  t.same(toQuery(where((note) => and(isNull(note.user), lt(note.user, 9)))), nullOrLess)
  t.throws(() => toQuery(where((note) => like(note.text, 'a%'))), /like/)
})

t.test(
  'React: on the server of a rendered page, a list below a placeholder is `loading`, and asks nobody',
  async (t) => {
    const outfile = join(root, 'dist/test/examples/use-live.js')
    const entryPoints = [join(root, 'examples/frameworks/react/use-live.ts')]
    await build({ entryPoints, outfile, bundle: true, packages: 'external', format: 'esm', logLevel: 'silent' })
    const { useLive } = (await import(
      pathToFileURL(outfile).href
    )) as typeof import('../../examples/frameworks/react/use-live.js')
    const refuse: typeof fetch = async () => t.fail('nobody is asked') as never
    const app = createClient().configure(rest('http://localhost').fetch(refuse)).configure(events())
    const issues = app.service('projects/:projectId/issues')
    const List = () => useLive(issues, { route: { projectId: 1 }, query: { state: 'open' } }).state
    t.equal(renderToString(createElement(List)), 'loading')
  }
)

declare const render: (kind: string) => void

t.test(
  'React: a component shows a list, also in strict mode and with another query',
  { skip: howToInstall },
  async (t) => {
    t.ok(executablePath)
    const { address, createServerNote } = await openEventsSite(t)
    await createServerNote({ text: 'first', kind: 'a' })
    const page = await openPage(t, {}, '../../../examples/frameworks/react/page.ts', `?address=${address}`)
    const shows = (text: string) => page.waitForFunction(`document.body.innerText.trim() === '${text}'`)
    await page.evaluate(() => render('a'))
    await shows('live: first')
    await createServerNote({ text: 'second', kind: 'a' })
    await shows('live: first, second')
    await page.evaluate(() => render('b'))
    await shows('live:')
    await createServerNote({ text: 'of b', kind: 'b' })
    await shows('live: of b')
  }
)
