import { test } from 'tap'
import { allow } from '../../lib/authentication/index.js'
import { memory } from '../../lib/memory/index.js'
import type { HookContext } from '../../types/hooks.js'
import { connect, createApp, modes, post, start, tokenOf } from './app.js'

const capabilities = { elicitation: { form: {} } }

test('A record is removed after its user has said yes', async (t) => {
  const app = createApp()
  const url = await start(t, app)
  await app.service('books').create([{ title: 'Emma' }, { title: 'Persuasion' }])
  const client = await connect(t, url, { token: tokenOf(app, 'admin'), options: { capabilities } })
  const questions: string[] = []
  let confirm = false
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message)
    return { action: 'accept', content: { confirm } }
  })
  const remove = () => client.callTool({ name: 'books_remove', arguments: { id: 1 } })
  t.match(await remove(), { isError: true, content: [{ text: /said no/ }] })
  t.equal(
    await app
      .service('books')
      .get(1)
      .then(() => 'there'),
    'there'
  )
  confirm = true
  t.match(await remove(), { structuredContent: { title: 'Emma' } })
  t.match(questions[0], /'books.remove'.*\{"id":1\} \("Emma"\)\?/)
  t.match(await remove(), { isError: true, content: [{ text: /NotFound \(404\)/ }] })
  t.equal(questions.length, 2)
})

test('A client that can not ask its user removes nothing, unless an option says so', async (t) => {
  const app = createApp()
  const free = createApp({ withoutUser: 'call' })
  for (const server of [app, free]) {
    const url = await start(t, server)
    await server.service('books').create([{ title: 'a' }, { title: 'b' }, { title: 'c' }])
    for (const [index, mode] of modes.entries()) {
      const client = await connect(t, url, { mode, token: tokenOf(server, 'admin') })
      const result = await client.callTool({ name: 'books_remove', arguments: { id: index + 1 } })
      if (server === app) t.match(result, { isError: true, content: [{ text: /needs a yes of the user/ }] })
      else t.match(result, { structuredContent: { id: index + 1 } })
    }
  }
  t.match(await app.service('books').find(), { total: 3 })
})

test('A yes is for one call, one user and one version of a record', async (t) => {
  const app = createApp({
    services: ['books.remove', 'books.removeMany', 'notes.remove', 'notes.patch'],
    confirm: ['notes.patch']
  })
  t.teardown(() => app.close())
  await app.ready()
  await app.service('books').create([{ title: 'Emma' }, { title: 'Persuasion' }])
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
  const send = async (role: 'admin' | 'member', name: string, given: object, requestState?: string, yes = true) => {
    const answered = { inputResponses: { confirm: { action: 'accept', content: { confirm: yes } } }, requestState }
    const params = { name, arguments: given, _meta, ...(requestState !== undefined && answered) }
    const headers = { authorization: `Bearer ${tokenOf(app, role)}` }
    return (await post(app, { method: 'tools/call', params }, headers)).json()
  }
  const asked = await send('admin', 'books_remove', { id: 1 })
  t.match(asked, {
    result: { resultType: 'input_required', inputRequests: { confirm: { method: 'elicitation/create' } } }
  })
  const { requestState } = asked.result
  const isAsked = { result: { resultType: 'input_required' } }
  t.match(await send('admin', 'books_remove', { id: 2 }, requestState), isAsked, 'another record')
  t.match(await send('admin', 'books_remove_many', { query: {} }, requestState), isAsked, 'another tool')
  t.match(await send('member', 'books_remove', { id: 1 }, requestState), { result: { isError: true } }, 'who may not')
  await app.service('books').patch(1, { title: 'Emma!' })
  t.match(await send('admin', 'books_remove', { id: 1 }, requestState), isAsked, 'another version')

  const patch = { id: 1, data: { text: 'x' } }
  const { requestState: patchState } = (await send('admin', 'notes_patch', patch)).result
  const forged = patchState.replace(
    /^v1\.[^.]*/,
    `v1.${Buffer.from('{"p":{"asked":"x"},"exp":9999999999}').toString('base64url')}`
  )
  for (const state of [forged, `${patchState}x`, 'v1.e30.e30', 'x', ''])
    t.match(await send('admin', 'notes_patch', patch, state), { error: { code: -32602 } }, state)
  t.match(await send('admin', 'notes_patch', patch, patchState, false), { result: { isError: true } })
  t.match(await send('member', 'notes_patch', patch, patchState), { result: { isError: true } }, 'another user')
  t.match(await send('admin', 'notes_patch', patch, patchState), isAsked, 'a yes after a no')
  const { requestState: nextState } = (await send('admin', 'notes_patch', patch)).result
  t.match(await send('admin', 'notes_patch', patch, nextState), { result: { structuredContent: { text: 'x' } } })
  t.match(await send('admin', 'notes_patch', patch, nextState), isAsked, 'a second time')
  const many = (await send('admin', 'books_remove_many', { query: { year: 1 } })).result.requestState
  t.match(await send('admin', 'books_remove_many', { query: {} }, many), isAsked, 'another query')
  const hidden = await send('admin', 'books_remove', { query: { title: 'x'.repeat(2000) }, id: 2 })
  t.match(hidden.result.inputRequests.confirm.params.message, /^May 'books.remove' be called with \{"id":2,.*x…/)
  const asked3 = (await send('admin', 'books_remove_many', { query: { title: 'x' } })).result.requestState
  const answers = await Promise.all(
    [1, 2, 3].map(() => send('admin', 'books_remove_many', { query: { title: 'x' } }, asked3))
  )
  t.equal(answers.filter(({ result }) => result.resultType === 'complete').length, 1, 'one call for one yes')
})

test('A record is compared as a whole, and callers who may not get it can still remove it', async (t) => {
  const long = 'x'.repeat(3000)
  const app = createApp({ services: ['texts.remove', 'boxes.remove'], maxBytes: 1000 }, (app) => {
    app.service('texts', memory({ records: [{ id: 1, text: long }] }))
    app.service('boxes', memory({ records: [{ id: 1 }] }), {
      hooks: { around: { all: [allow({ member: { remove: true } })] } }
    })
  })
  t.teardown(() => app.close())
  await app.ready()
  const headers = { authorization: `Bearer ${tokenOf(app, 'member')}` }
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
  const remove = async (name: string, requestState?: string) => {
    const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } }
    const answered = requestState === undefined ? {} : { inputResponses, requestState }
    const params = { name, arguments: { id: 1 }, _meta, ...answered }
    return (await post(app, { method: 'tools/call', params }, headers)).json().result
  }
  const { requestState } = await remove('texts_remove')
  await app.service('texts').patch(1, { text: `${long}!` })
  t.match(await remove('texts_remove', requestState), { resultType: 'input_required' })
  const asked = await remove('boxes_remove')
  t.match(await remove('boxes_remove', asked.requestState), { structuredContent: { id: 1 } })
})

test('A role that depends on the route is decided by the call', async (t) => {
  const name = 'organisations/:organisationId/plans'
  const app = createApp({ services: [name, `${name}.remove`] }, (app) => {
    const member = { get: true, find: true, remove: true }
    const options = {
      role: (_user: unknown, { params }: HookContext) => (params.route?.organisationId === '7' ? 'member' : undefined)
    }
    app.service(name, memory({ records: [{ id: 1, organisationId: '7' }] }), {
      hooks: { around: { all: [allow({ member }, options)] } }
    })
  })
  t.teardown(() => app.close())
  await app.ready()
  const headers = { authorization: `Bearer ${tokenOf(app, 'member')}` }
  const list = (await post(app, { method: 'tools/list' }, headers)).json().result.tools
  t.match(list[0], { name: 'organisations_plans_find' })
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
  const remove = async (organisationId: string) => {
    const params = { name: 'organisations_plans_remove', arguments: { organisationId, id: 1 }, _meta }
    return (await post(app, { method: 'tools/call', params }, headers)).json().result
  }
  t.match(await remove('7'), { resultType: 'input_required' })
  t.match(await remove('8'), { content: [{ text: /^Forbidden \(403\)/ }] })
})
