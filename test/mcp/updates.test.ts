import { setTimeout as delay } from 'node:timers/promises'
import { type Test, test } from 'tap'
import events from '../../lib/events/index.js'
import { connect, createApp, start, tokenOf } from './app.js'

/** Starts an application with events, and a client that notes the resources that have changed. */
async function listen(t: Test, role: 'admin' | 'member' | 'other', uris: string[]) {
  const app = createApp()
  app.register(events, { services: { notes: true, books: true, 'projects/:projectId/issues': true } })
  const client = await connect(t, await start(t, app), { token: tokenOf(app, role) })
  const updated: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updated.push(params.uri)
  })
  const subscription = await client.listen({ resourceSubscriptions: uris })
  return { app, client, updated, subscription }
}

test('An agent hears of changes of the resources that its caller may find', async (t) => {
  const uris = ['service://notes', 'service://notes/2', 'service://projects/a/issues', 'service://projects/b/issues']
  const { app, updated, subscription } = await listen(t, 'member', [...uris, 'service://users/1', 'x'])
  t.strictSame(subscription.honoredFilter.resourceSubscriptions, uris)
  await app.service('notes').patch(1, { text: 'not seen' })
  await app.service('projects/:projectId/issues').patch(1, { text: 'x' }, { route: { projectId: 'a' } })
  await delay(1200)
  t.strictSame(updated.splice(0), ['service://projects/a/issues'])
  await app.service('notes').patch(2, { text: 'first' })
  await app.service('notes').patch(2, { text: 'second' })
  await delay(1200)
  t.strictSame(updated.sort(), ['service://notes', 'service://notes/2'])
  await subscription.close()
  await delay(100)
  t.equal(app.events.streams, 0)
})

test('Lists that the caller may not find have no updates', async (t) => {
  const { subscription } = await listen(t, 'other', ['service://books', 'service://books/1', 'service://notes'])
  t.strictSame(subscription.honoredFilter.resourceSubscriptions, ['service://notes'])
})

test('A subscription ends when the server does', async (t) => {
  const { app, subscription } = await listen(t, 'admin', ['service://books'])
  const [end] = await Promise.all([subscription.closed, app.close()])
  t.equal(end, 'graceful')
})
