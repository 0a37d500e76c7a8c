import t from 'tap'
import { openBrowser } from '../../support/events-browser.js'
import { openEventsSite, type SiteClient, until } from '../../support/events-site.js'

/** A list of notes of a kind, which somebody listens to. */
function watch(app: SiteClient, kind: string) {
  const list = app.service('notes').live({ query: { kind } })
  const stop = list.subscribe(() => {})
  return { list, stop, isLive: () => list.current.state === 'live' }
}
const tooMany = { state: 'stale', error: { code: 400, message: /^A stream has 2 lists at most.* end other lists, or/ } }

t.test('of more lists than a server takes the newest waits until another one ends', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t, { limits: { subscriptions: 2 } })
  const app = createEventsClient()
  const [first, second] = [watch(app, 'c'), watch(app, 'b')]
  await until(() => first.isLive() && second.isLive())
  // By its name it would be the first.
  const third = watch(app, 'a')
  await until(() => third.list.current.error)
  t.match(third.list.current, tooMany)
  for (const kind of ['c', 'b']) await createServerNote({ text: 'heard', kind })
  await until(() => [first, second].every(({ list }) => list.current.data.length === 1))
  t.ok(first.isLive() && second.isLive() && app.events.state === 'live')

  first.stop()
  await until(() => third.isLive())
  await createServerNote({ text: 'heard', kind: 'a' })
  await until(() => third.list.current.data.length === 1)
  t.ok(second.isLive())
})

t.test('of more lists in several tabs than a server takes the newest waits, whichever tab has it', async (t) => {
  openBrowser(t)
  const { app, createEventsClient } = await openEventsSite(t, { limits: { subscriptions: 2 } })
  const [holder, another] = [createEventsClient(), createEventsClient()]
  const first = watch(holder, 'a')
  await until(() => first.isLive())
  const second = watch(another, 'b')
  await until(() => second.isLive())
  const third = watch(holder, 'c')
  await until(() => third.list.current.error)
  t.match(third.list.current, tooMany)
  t.equal(app.events.streams, 1)
  t.ok(first.isLive() && second.isLive())
  second.stop()
  await until(() => third.isLive())
  t.ok(first.isLive())
})
