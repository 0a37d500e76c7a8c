import { test } from 'tap'
import { memory } from '../../lib/memory/index.js'
import { callTool, connect, createApp, modes, post, start, tokenOf } from './app.js'

for (const mode of modes) {
  const era = mode === 'legacy' ? '2025' : '2026'
  test(`A client of ${era} calls the methods of a service by one tool`, async (t) => {
    const app = createApp({ mode: 'compact', names: { notes: 'my_notes' } })
    const client = await connect(t, await start(t, app), { mode, token: tokenOf(app, 'admin') })
    const { tools } = await client.listTools()
    t.strictSame(
      tools.map(({ name }) => name),
      ['books', 'my_notes', 'projects_issues', 'countries', 'users']
    )
    const call = (name: string, given: object) => client.callTool({ name, arguments: { ...given } })
    t.match(await call('books', { method: 'create', data: { title: 'Emma', year: 1815 } }), {
      structuredContent: { id: 1 }
    })
    t.match(await call('books', { method: 'find', query: { year: { $gt: 1800 } } }), {
      structuredContent: { total: 1 }
    })
    t.match(await call('books', { method: 'createMany', data: [{ title: 'A' }, { title: 'B' }] }), {
      content: [{ text: /"B"/ }]
    })
    t.match(await call('projects_issues', { method: 'close', projectId: 'a', id: 1 }), {
      structuredContent: { closed: true }
    })
    t.match(await call('countries', { method: 'find' }), { content: [{ text: '["France","Italy"]' }] })
    t.match(await call('books', { method: 'remove', id: 1 }), { isError: true, content: [{ text: /yes of the user/ }] })
    t.match(await call('books', { method: 'finds' }), { content: [{ text: /\(400\).*find, get.*mean 'find'/ }] })
    t.match(await call('books', { method: 'get', id: 1, data: {} }), { content: [{ text: /no argument 'data'/ }] })
    await t.rejects(call('books_find', {}), { message: /no tool 'books_find'/ })
  })
}

test('A tool of a service has the methods that its caller may call, and is half as long', async (t) => {
  const apps = [createApp({ mode: 'compact' }), createApp()] as const
  t.teardown(() => Promise.all(apps.map((app) => app.close())))
  await Promise.all(apps.map((app) => app.ready()))
  const list = async (index: 0 | 1, role: 'admin' | 'member' | 'other') => {
    const headers = { authorization: `Bearer ${tokenOf(apps[index], role)}` }
    return (await post(apps[index], { method: 'tools/list' }, headers)).json().result.tools
  }
  const methodsOf = (tools: { name: string; inputSchema: { properties: { method: { enum: string[] } } } }[]) =>
    tools.find(({ name }) => name === 'books')?.inputSchema.properties.method.enum
  t.strictSame(methodsOf(await list(0, 'member')), ['find', 'get', 'create', 'patch', 'createMany'])
  t.equal(methodsOf(await list(0, 'other')), undefined)
  const [books] = await list(0, 'admin')
  t.match(books, {
    description: /^find: .*\nget: /,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    inputSchema: { required: ['method'], properties: { id: { type: 'integer' }, data: { anyOf: Array } } }
  })
  const [compact, single] = await Promise.all([list(0, 'admin'), list(1, 'admin')])
  t.ok(JSON.stringify(compact).length < JSON.stringify(single).length * 0.55)
  const headers = { authorization: `Bearer ${tokenOf(apps[0], 'member')}` }
  const refused = await callTool(apps[0], 'books', { method: 'update', id: 1, data: { title: 'x' } }, headers)
  t.match(refused.json(), { result: { isError: true, content: [{ text: /^Forbidden \(403\)/ }] } })
})

test('Services whose tools would have one name stop the start', async (t) => {
  const begin = async (services: string[]) =>
    createApp({ mode: 'compact', services }, (app) => {
      app.service('a/b', memory())
      app.service('a-b', memory())
      app.service('c/:method/d', memory())
    }).ready()
  await t.rejects(begin(['a/b', 'a-b']), { message: /'a-b' and 'a\/b' would both be the tool 'a_b'/ })
  await t.rejects(begin(['c/:method/d']), { message: /':method' has the name of an argument/ })
})
