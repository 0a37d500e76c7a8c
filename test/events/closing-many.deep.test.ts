import t from 'tap'
import { list, memory, startEvents } from '../support/events-app.js'

t.test('a server with 1,000 streams closes at once', async (t) => {
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true },
    limits: { perUser: 1000 }
  })
  const streams = []
  for (let count = 0; count < 20; count++)
    streams.push(...(await Promise.all(Array.from({ length: 50 }, () => subscribe(list('notes')).connected))))
  const begin = Date.now()
  await app.close()
  t.comment(`closed in ${Date.now() - begin} ms`)
  t.ok(Date.now() - begin < 5000)
  t.equal(app.events.streams, 0)
})
