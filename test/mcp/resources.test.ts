import { test } from 'tap'
import { callTool, connect, createApp, modes, post, start, tokenOf } from './app.js'

for (const mode of modes) {
  const era = mode === 'legacy' ? '2025' : '2026'
  test(`A client of ${era} reads records and lists as resources`, async (t) => {
    const app = createApp()
    const client = await connect(t, await start(t, app), { mode, token: tokenOf(app, 'member') })
    await app.service('books').create([
      { title: 'Emma', year: 1815 },
      { title: 'Persuasion', year: 1817 }
    ])
    const { resources } = await client.listResources()
    t.strictSame(
      resources.map(({ uri }) => uri),
      ['service://books', 'service://notes', 'service://countries']
    )
    const { resourceTemplates } = await client.listResourceTemplates()
    t.strictSame(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      [
        'service://books{?query*}',
        'service://books/{id}',
        'service://notes{?query*}',
        'service://notes/{id}',
        'service://projects/{projectId}/issues{?query*}',
        'service://projects/{projectId}/issues/{id}',
        'service://countries{?query*}',
        'service://users/{id}'
      ]
    )
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri })
      t.match(contents, [{ uri, mimeType: 'application/json' }])
      return JSON.parse(String(Object(contents[0]).text))
    }
    t.strictSame(await read('service://books/1'), { id: 1, title: 'Emma', year: 1815 })
    t.match(await read('service://books?year[$gt]=1815&$select[]=title'), { total: 1, data: [{ title: 'Persuasion' }] })
    t.match(await read('service://projects/a/issues'), [{ id: 1 }])
    t.strictSame(await read('service://notes'), [{ id: 2, text: 'of 2', userId: 2 }])
  })
}

test('A resource is read as its caller, and others do not exist', async (t) => {
  const app = createApp({ confirm: ['countries.find'], maxBytes: 200 })
  t.teardown(() => app.close())
  await app.ready()
  await app.service('books').create(Array.from({ length: 9 }, () => ({ title: 'x'.repeat(40) })))
  const read = async (uri: string, role: 'member' | 'other' = 'member') => {
    const headers = { authorization: `Bearer ${tokenOf(app, role)}`, 'mcp-name': uri }
    return (await post(app, { method: 'resources/read', params: { uri } }, headers)).json()
  }
  const notFound = (uri: string) => ({ error: { code: -32602, data: { uri } } })
  const uris = [
    'service://notes/1',
    'service://books/9999',
    'service://countries',
    'service://books/1/title',
    'service://users',
    'service://authentication',
    'service:books/1',
    'http://localhost/books/1',
    'x'
  ]
  for (const uri of uris) t.match(await read(uri), notFound(uri), uri)
  t.match(await read('service://books/1', 'other'), { error: { code: -32602, message: /Forbidden \(403\)/ } })
  for (const uri of [
    'service://books/%2e%2e',
    'service://books/%',
    'service://books?colour=red',
    'service://books?$limit=x'
  ])
    t.match(await read(uri), { error: { code: -32602, message: /BadRequest \(400\)/ } }, uri)
  t.match(await read('service://books?$limit=8'), { error: { message: /more than 200 bytes/ } })
  const uri = 'service://books/1'
  const nobody = await post(app, { method: 'resources/read', params: { uri } }, { 'mcp-name': uri })
  t.match(nobody, { statusCode: 401, headers: { 'www-authenticate': 'Bearer' } })
  t.match((await callTool(app, 'countries_find', {})).json(), { result: { isError: true } })
})
