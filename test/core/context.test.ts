import type { HookContext } from 'fastify-services'
import t from 'tap'
import { createWatched } from '../support/core-services.js'

const data = { text: 'a' }
const params = { query: { b: '1' } }
const calls: [name: string, args: unknown[], fields: object][] = [
  ['find', [params], { params, event: null, id: undefined, data: undefined }],
  ['get', ['1', params], { id: '1', params, event: null, data: undefined }],
  ['create', [data, params], { data, params, event: 'created', id: undefined }],
  ['update', ['1', data, params], { id: '1', data, params, event: 'updated' }],
  ['patch', [null, data, params], { id: null, data, params, event: 'patched' }],
  ['remove', [5, params], { id: 5, params, event: 'removed', data: undefined }],
  ['archive', [data, params], { data, params, event: null, id: undefined }]
]

for (const [name, args, fields] of calls) {
  t.test(`${name}: app, service, path, method, type, event, id, data, params, arguments`, async (t) => {
    const contexts: HookContext[] = []
    const types: string[] = []
    const { app, service, call } = await createWatched(t, (context) => {
      contexts.push(context)
      types.push(context.type)
    })
    await call(name, ...args)
    const [context] = contexts as [HookContext]
    t.same(types, ['before'])
    t.equal(context.app, app)
    t.equal(context.service, service)
    t.equal(context.self, service)
    t.match(context, { path: 'deep/things', method: name, ...fields })
    t.same(context.arguments, args)
    t.same(context.result, { args }, 'the result stands in the context afterwards')
    t.same([context.dispatch, context.error, context.statusCode, context.http], [undefined, undefined, undefined, {}])
  })
}

t.test('`id`, `data` and `params` read and write `arguments`', async (t) => {
  const { call } = await createWatched(t, (context) => {
    if (context.method === 'update') {
      context.id = 'changed'
      context.data = { changed: true } as never
      context.params = { changed: true }
      t.same(context.arguments, ['changed', { changed: true }, { changed: true }])
    } else {
      context.arguments[0] = 'by position'
      t.equal(context.id, 'by position')
      context.arguments = ['as a whole', { query: {} }]
      t.same([context.id, context.params], ['as a whole', { query: {} }])
    }
  })
  t.same(await call('update', '1', data, params), { args: ['changed', { changed: true }, { changed: true }] })
  t.same(await call('get', '1'), { args: ['as a whole', { query: {} }] })
})

t.test('params are an object of their own where none are given, the list of the caller is not changed', async (t) => {
  const seen: object[] = []
  const { call } = await createWatched(t, (context) => {
    seen.push(context.params)
    context.params.added = true
  })
  t.same(await call('get', '1'), { args: ['1', { added: true }] })
  t.same(await call('find', undefined), { args: [{ added: true }] })
  t.same(await call('create', data, null), { args: [data, { added: true }] })
  t.equal(new Set(seen).size, 3)
})

t.test('arguments beyond those of the method are passed on', async (t) => {
  const { call } = await createWatched(t, (context) => t.equal(context.params, params))
  t.same(await call('find', params, 'more'), { args: [params, 'more'] })
})

t.test('`toJSON` holds the call and what hooks have added, without `app` and `service`', async (t) => {
  let json: unknown
  const { call } = await createWatched(t, (context) => {
    Object.assign(context, { dispatch: { id: '1' }, added: 1 })
    json = JSON.parse(JSON.stringify(context))
  })
  await call('update', '1', data, params)
  const path = 'deep/things'
  t.same(json, {
    path,
    method: 'update',
    type: 'before',
    event: 'updated',
    id: '1',
    data,
    params,
    arguments: ['1', data, params],
    dispatch: { id: '1' },
    added: 1,
    http: {}
  })
  await call('find')
  const members = { path, method: 'find', type: 'before', event: null, params: {}, arguments: [{}] }
  t.same(json, { ...members, dispatch: { id: '1' }, added: 1, http: {} })
})

t.test('what calls share can not be changed for another call', async (t) => {
  const { call } = await createWatched(t, (context) => {
    t.equal(context.path, 'deep/things')
    Reflect.set(context, 'path', 'other')
  })
  await call('find')
  await call('find')
})

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
    Object.assign(context, { statusCode: undefined })
    t.equal(context.statusCode, undefined)
    t.notOk('status' in context.http)
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
