import { readFileSync } from 'node:fs'
import { createCollection } from '@tanstack/db'
import { QueryClient } from '@tanstack/query-core'
import { BadRequest } from 'fastify-services'
import t from 'tap'
import { serviceCollection } from '../../examples/frameworks/tanstack-db.js'
import { keepLive } from '../../examples/frameworks/tanstack-query.js'
import { executablePath, howToInstall, openPage } from '../support/chromium.js'
import { type Note, openEventsSite, until } from '../support/events-site.js'

t.test('the page has the programs as they are', async (t) => {
  const page = readFileSync('docs/frameworks.md', 'utf8')
  for (const file of ['react/use-live.ts', 'tanstack-query.ts', 'tanstack-db.ts'])
    t.ok(page.includes(readFileSync(`examples/frameworks/${file}`, 'utf8').trim()), file)
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

t.test('TanStack DB: a collection has the records of a query, and rolls back what the server refuses', async (t) => {
  const refuse = ({ data }: { data: Partial<Note> }) => {
    if (data.text === '') throw new BadRequest('A note has a text')
  }
  const { createEventsClient, createServerNote } = await openEventsSite(t, {}, (app) => {
    app.service('notes').hooks({ before: { create: [refuse as never], patch: [refuse as never] } })
  })
  await createServerNote({ text: 'first', kind: 'a' })
  const service = createEventsClient().service('notes')
  const notes = createCollection(serviceCollection<Note>(service as never, { kind: 'a' }))
  await notes.preload()
  const texts = () => notes.toArray.map(({ text }) => text).sort()
  t.same(texts(), ['first'])
  await createServerNote({ text: 'of another', kind: 'a' })
  await until(() => texts().length === 2)

  const inserted = notes.insert({ id: -1, text: 'own', kind: 'a' })
  t.same(texts(), ['first', 'of another', 'own'], 'at once')
  await inserted.isPersisted.promise
  t.same(texts(), ['first', 'of another', 'own'])

  const refused = notes.update(1, (note) => {
    note.text = ''
  })
  t.same(texts(), ['', 'of another', 'own'], 'at once')
  await t.rejects(refused.isPersisted.promise, { message: 'A note has a text' })
  t.same(texts(), ['first', 'of another', 'own'], 'rolled back')

  await notes.delete(1).isPersisted.promise
  t.same(texts(), ['of another', 'own'])
  await notes.cleanup()
})

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
