import t from 'tap'
import { open, start } from './started.js'

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  t.test(`${signal}: a call in flight is answered, and the process ends with 0`, async (t) => {
    const server = await start(t)
    const called = server.called()
    const answer = fetch(`${server.url}/calls`).then((response) => response.json())
    await called
    await server.signal(signal)
    server.answer()
    t.strictSame(await answer, ['answered'])
    t.equal(await server.exit, 0)
  })

t.test('connections that have sent no whole request do not hold up the end', async (t) => {
  const body = 'POST /notes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"'
  for (const [title, sent] of [
    ['nothing', ''],
    ['half a header', 'GET /notes HTTP/1.1\r\nHost:'],
    ['half a body', body],
    ['a request, and then nothing', 'GET /notes HTTP/1.1\r\nHost: a\r\n\r\n']
  ] as const) {
    const server = await start(t, { shutdownDelay: 60_000 })
    const { received } = await open(t, server.ports[0], sent)
    await server.signal('SIGTERM')
    t.equal(await server.exit, 0, title)
    await received
  }
})

t.test('a stream of events ends', async (t) => {
  const server = await start(t, { shutdownDelay: 60_000 })
  const response = await fetch(`${server.url}/notes`, { headers: { accept: 'text/event-stream' } })
  t.match(response.headers.get('content-type'), 'text/event-stream')
  await server.signal('SIGTERM')
  await response.text()
  t.equal(await server.exit, 0)
})

t.test('a call that is not answered within the delay is cut off, and the process ends with 1', async (t) => {
  const server = await start(t, { shutdownDelay: 200 })
  const called = server.called()
  const answer = t.rejects(fetch(`${server.url}/calls`))
  await called
  await server.signal('SIGTERM')
  t.equal(await server.exit, 1)
  await answer
  t.match(await server.printed(), 'killed by timeout (200ms)')
})

t.test('a second signal ends the process at once, with 1', async (t) => {
  const server = await start(t, { shutdownDelay: 60_000 })
  const called = server.called()
  const answer = t.rejects(fetch(`${server.url}/calls`))
  await called
  await server.signal('SIGTERM')
  await server.signal('SIGTERM')
  t.equal(await server.exit, 1)
  await answer
})

t.test('an uncaught error is printed, calls in flight are answered, and the process ends with 1', async (t) => {
  for (const logger of [true, false]) {
    const server = await start(t, { logger })
    const called = server.called()
    const answer = fetch(`${server.url}/calls`).then((response) => response.json())
    await called
    await fetch(`${server.url}/throw`)
    server.answer()
    t.strictSame(await answer, ['answered'])
    t.equal(await server.exit, 1)
    t.match(await server.printed(), /Nobody catches this/, logger ? 'by the logger' : 'by the console')
  }
})

t.test('a promise that is rejected without a reason ends the process with 1, too', async (t) => {
  for (const logger of [true, false]) {
    const server = await start(t, { logger })
    await fetch(`${server.url}/reject`)
    t.equal(await server.exit, 1)
    t.match(await server.printed(), /because of an uncaught error/, logger ? 'by the logger' : 'by the console')
  }
})

t.test('the process ends when all of its servers have answered', async (t) => {
  const server = await start(t, { servers: 2 })
  const called = server.called()
  const answer = fetch(`http://127.0.0.1:${server.ports[1]}/calls`).then((response) => response.json())
  await called
  await server.signal('SIGTERM')
  server.answer()
  t.strictSame(await answer, ['answered'])
  t.equal(await server.exit, 0)
})

t.test('without shutdownDelay a signal ends the process at once', async (t) => {
  const server = await start(t, { shutdownDelay: false })
  await server.signal('SIGTERM')
  t.equal(await server.exit, null)
})
