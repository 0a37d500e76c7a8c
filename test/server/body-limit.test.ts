import t from 'tap'
import { createHost, request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

const tooLarge = { status: 413, body: { name: 'PayloadTooLarge', code: 413, className: 'payload-too-large' } }

t.test('body over the limit: 413 PayloadTooLarge, by the `bodyLimit` of the host', async (t) => {
  const { app, calls } = await createHost(t, { server: { bodyLimit: 100 } })
  t.match(await request(app, 'POST', '/things', { payload: { text: 'x'.repeat(100) } }), tooLarge)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  t.match(await request(app, 'POST', '/things', { headers, payload: `text=${'x'.repeat(100)}` }), tooLarge)
  t.strictSame(calls, [])
  t.equal((await request(app, 'POST', '/things', { payload: { text: 'x' } })).status, 201)
})

t.test('body over the limit: 413, by the option `bodyLimit` of a service, which may be wider too', async (t) => {
  const { app } = await createHost(t, {
    server: { bodyLimit: 100 },
    after: (app) => {
      app.service('narrow', createRecorder().service, { bodyLimit: 20 })
      app.service('wide', createRecorder().service, { bodyLimit: 1000 })
    }
  })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [url, length, status] of [
    ['/narrow', 30, 413],
    ['/things', 30, 201],
    ['/things', 200, 413],
    ['/wide', 200, 201]
  ] as const) {
    t.equal(
      (await request(app, 'POST', url, { payload: { a: 'x'.repeat(length) } })).status,
      status,
      `${url} ${length}`
    )
    t.equal(
      (await request(app, 'POST', url, { headers: form, payload: `a=${'x'.repeat(length)}` })).status,
      status,
      `${url} ${length} form`
    )
  }
})
