import t from 'tap'
import { createWatched } from '../support/core-services.js'

t.test('`context.http` is `{}` at the start of every call', async (t) => {
  const { call } = await createWatched(t, (context) => {
    t.same(context.http, {})
    context.http.status = 202
    context.http.headers = { 'x-a': '1' }
  })
  await call('find')
  await call('find')
  await call('get', '1')
})

t.test('`statusCode` is short for `http.status`', async (t) => {
  const { call } = await createWatched(t, (context) => {
    context.http.headers = { 'x-a': '1' }
    context.statusCode = 202
    t.same(context.http, { headers: { 'x-a': '1' }, status: 202 })
    context.http.status = 203
    t.equal(context.statusCode, 203)
    context.http = { location: '/b' }
    t.equal(context.statusCode, undefined)
    context.statusCode = 301
    t.same(context.http, { location: '/b', status: 301 })
  })
  await call('find')
})

t.test('`statusCode` writes into the `http` that a hook holds already', async (t) => {
  const { call } = await createWatched(t, (context) => {
    const { http } = context
    context.statusCode = 202
    t.equal(http.status, 202)
    http.headers = { 'x-a': '1' }
    t.same(context.http, { status: 202, headers: { 'x-a': '1' } })
  })
  await call('find')
})

t.test('`statusCode` set to `undefined` takes the status back', async (t) => {
  const { call } = await createWatched(t, (context) => {
    context.statusCode = 202
    context.statusCode = undefined
    t.equal(context.statusCode, undefined)
    t.equal(context.http.status, undefined)
  })
  await call('find')
})

t.test('a hook may take `http` away and set it anew', async (t) => {
  const { call } = await createWatched(t, (context) => {
    Object.assign(context, { http: undefined })
    t.equal(context.statusCode, undefined)
    context.statusCode = 202
    t.same(context.http, { status: 202 })
  })
  await call('find')
})
