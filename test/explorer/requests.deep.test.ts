import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rest } from 'fastify-services/client'
import t from 'tap'
import { argumentsOf, type Call, missingIn, requestOfCall, send } from '../../lib/explorer/model/call.js'
import { toJSON, toLiteral } from '../../lib/explorer/model/literal.js'
import { servicesIn } from '../../lib/explorer/model/services.js'
import { formsOf, headerForms, type RequestTexts, toTexts } from '../../lib/explorer/model/texts.js'
import { hasCurl } from '../examples/atlas-commands.js'
import { run, temporaryFolder } from '../package/pack.js'
import { root } from '../package/sources.js'
import { type Heard, openEcho } from './echo.js'

t.setTimeout(120_000)

const { document, base, hear } = await openEcho(t)
const explored = servicesIn(document)

/** A call of a method of a service. */
function callOf(path: string, name: string, parts: Partial<Call> = {}): Call {
  const service = explored.get(path)
  const operation = service?.operations.get(name)
  if (service === undefined || operation === undefined) throw new Error(`No ${name} of ${path}`)
  return { service, operation, id: undefined, route: {}, query: {}, data: undefined, ...parts }
}

const folder = await temporaryFolder(t)
await mkdir(join(folder, 'node_modules'))
// Whatever stands above the folder.
await writeFile(join(folder, 'package.json'), '{}')
await symlink(root, join(folder, 'node_modules/fastify-services'))
await symlink(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'))

const headers = { Authorization: `Bearer it's "a" $TOKEN` }

const nasty = `'; exit 1 #  "$HOME" \`id\` !! \\ \\' \t\r\n \u0000 \u202e</script>\u2028 \ud83d\ude00 é %41 &amp; @/etc/passwd`
const file = new File(['a file'], `it's a "file"; x.txt`, { type: 'text/plain' })

function form(hasFile = true): FormData {
  const data = new FormData()
  data.append('title', `@it's; "title"`)
  if (hasFile) data.append('file', file)
  return data
}

const calls: Record<string, Call> = {
  'all records': callOf('echo', 'find'),
  'a query': callOf('echo', 'find', {
    query: { area: { $gt: 5, $in: [1, 2] }, 'a b': nasty, $sort: { area: -1 }, $limit: 5, $select: ['a', "it's"] }
  }),
  'a record': callOf('echo', 'get', { id: `${nasty}/?#` }),
  'a record to create': callOf('echo', 'create', {
    data: { text: nasty, n: 1.5, yes: true, none: null, list: [{ 'a-b': [] }], [nasty]: {} }
  }),
  'a list to create': callOf('echo', 'create', { data: [{ a: 1 }, { a: 2 }] }),
  'a replacement': callOf('echo', 'update', { id: '1', data: { a: 1 }, query: { $select: ['a'] } }),
  'a change': callOf('rooms/:room/echo', 'patch', { id: '1', route: { room: nasty }, data: { a: 'x'.repeat(80) } }),
  'a record to remove': callOf('rooms/:room/echo', 'remove', { id: '1', route: { room: 'a' } }),
  'a method with a route': callOf('echo', 'share', { id: '1', route: { place: "here'" }, data: { a: 1 } }),
  'a method with a route and no data': callOf('echo', 'stats', { query: { a: '1' } }),
  'a method that a header names': callOf('echo', 'archive', { data: { a: 1 } }),
  'one without data': callOf('echo', 'archive'),
  'a form without a file': callOf('files', 'create', { data: form(false) }),
  'a form with a file': callOf('files', 'create', { data: form() })
}

t.test('what is copied does what the page does', async (t) => {
  await writeFile(join(folder, file.name), 'a file')
  const texts: RequestTexts[] = []
  const expected: Heard[] = []
  for (const call of Object.values(calls)) {
    texts.push(toTexts(call, await requestOfCall(call, base, headers), base, headers))
    expected.push(...(await hear(() => send(rest(base, { headers }).fetch(fetch), call))))
  }
  t.equal(expected.length, texts.length)

  /** Runs one program for all texts, each of which makes one call. */
  async function compare(kind: keyof RequestTexts, program: string, ...args: string[]): Promise<void> {
    const heard = await hear(async () => t.match(await run(folder, program, ...args), { code: 0 }))
    t.equal(heard.length, expected.length, kind)
    for (const [index, name] of Object.keys(calls).entries()) {
      const text = texts[index]?.[kind] ?? ''
      t.strictSame(heard[index], expected[index], `${kind}, ${name}: ${text}`)
      t.notMatch(text, /\p{Bidi_Control}|\u2028/u, 'nothing in it hides')
    }
  }
  if (await hasCurl()) await compare('curl', 'sh', '-c', texts.map(({ curl }) => curl).join('\n'))
  else t.comment('The lines for curl are not run: curl is not installed')
  const sources = texts.map((_, index) => `typescript-${index}.mts`)
  for (const [index, name] of sources.entries()) await writeFile(join(folder, name), texts[index]?.typescript ?? '')
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--strict', '--target', 'es2022', '--module', 'node20', '--types', 'node', '--skipLibCheck']
  t.match(await run(folder, process.execPath, compiler, ...options, ...sources), { code: 0 }, 'its types are right')
  for (const kind of ['fetch', 'typescript'] as const) {
    const names = texts.map((_, index) => `./${kind}-${index}.mjs`)
    if (kind === 'fetch')
      for (const [index, name] of names.entries()) await writeFile(join(folder, name), texts[index]?.fetch ?? '')
    await writeFile(join(folder, 'main.mjs'), names.map((name) => `await import('${name}')`).join('\n'))
    await compare(kind, process.execPath, 'main.mjs')
  }
})

t.test('the events of a list, as they come', async (t) => {
  const call = { ...callOf('echo', 'find', { query: { a: 1 } }), isStream: true }
  const headers = { Accept: 'text/event-stream', 'X-Key': 'k' }
  const texts = toTexts(call, await requestOfCall(call, base, headers), base, headers)
  t.match(texts.curl, /^curl -N '.*\/echo\?a=1' \\\n {2}-H 'Accept: text\/event-stream'/)
  t.match(texts.fetch, 'for await (const text of response.body.pipeThrough(new TextDecoderStream()))')
  t.match(texts.typescript, `rest('${base}').fetch(fetch, { headers: { 'X-Key': 'k' } })`)
  t.match(texts.typescript, "const list = app.service('echo').live({ query: { a: 1 } })")
  const plain = toTexts(call, await requestOfCall(call, base, {}), base, {})
  t.match(plain.typescript, `rest('${base}').fetch(fetch)\n`)
})

t.test('a secret is found in each of them', async (t) => {
  for (const secret of ['x', `it's "mine" \\ \u202e`]) {
    const call = callOf('echo', 'create', { data: { password: secret } })
    const texts = toTexts(call, await requestOfCall(call, base, {}), base, {})
    for (const text of Object.values(texts))
      t.ok(
        formsOf(secret).some((form) => text.includes(form)),
        text
      )
  }
})

t.test('what can not be seen is written in letters', async (t) => {
  t.equal(toJSON('a\u007f\u00ad\u202eb'), '"a\\u007f\\u00ad\\u202eb"')
})

t.test('data as it is written in JavaScript', async (t) => {
  const data = JSON.parse(`{ "a": "it's \\"b\\"\\n", "b-c": null, "__proto__": [true], "\u202e": {} }`)
  t.equal(toLiteral(data), `{ a: 'it\\'s "b"\\n', 'b-c': null, ['__proto__']: [true], '\\u202e': {} }`)
})

t.test('what is missing', async (t) => {
  t.strictSame(missingIn(callOf('echo', 'share')), ['id', ':place'])
  t.strictSame(missingIn(callOf('rooms/:room/echo', 'find')), [':room'])
  t.strictSame(missingIn(callOf('rooms/:room/echo', 'get', { id: '1', route: { room: 'a' } })), [])
  await t.rejects(requestOfCall(callOf('echo', 'get', { id: '..' }), base, {}), { name: 'BadRequest' })
})

t.test('what changes records has an id, or `null`', async (t) => {
  const call = callOf('echo', 'remove')
  t.strictSame(argumentsOf({ ...call, operation: { ...call.operation, hasId: false } }), [null])
  t.strictSame(argumentsOf({ ...call, id: '1' }), ['1'])
  t.strictSame(argumentsOf({ ...call, id: '1' }, { signal: 1 }), ['1', { connection: { signal: 1 } }])
})

t.test('they can be read', async (t) => {
  const call = callOf('rooms/:room/echo', 'patch', {
    id: '1',
    route: { room: 'a' },
    data: { text: "it's", 'a-b': [1] }
  })
  const texts = toTexts(call, await requestOfCall(call, 'http://a.example', {}), 'http://a.example', {})
  t.equal(
    texts.curl,
    `curl -X PATCH 'http://a.example/rooms/a/echo/1' \\
  -H 'Accept: application/json' \\
  -H 'Content-Type: application/json' \\
  --data-raw '{"text":"it'\\''s","a-b":[1]}'`
  )
  t.equal(
    texts.fetch,
    `const response = await fetch('http://a.example/rooms/a/echo/1', {
  method: 'PATCH',
  headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  body: JSON.stringify({ text: 'it\\'s', 'a-b': [1] })
})
console.log(response.status, await response.text())`
  )
  t.equal(
    texts.typescript,
    `import { createClient, rest } from 'fastify-services/client'

const connection = rest('http://a.example').fetch(fetch)
const app = createClient().configure(connection)

const result = await app.service('rooms/:room/echo').patch(
  '1',
  { text: 'it\\'s', 'a-b': [1] },
  { route: { room: 'a' } }
)
console.log(result)`
  )
  const send = async (call: Call) => {
    const texts = toTexts(call, await requestOfCall(call, 'http://a.example', {}), 'http://a.example', {})
    return texts.typescript.slice(texts.typescript.indexOf('const result'))
  }
  t.equal(
    await send(callOf('echo', 'create', { data: { text: 'x'.repeat(80) } })),
    `const result = await app.service('echo').create({\n  text: '${'x'.repeat(80)}'\n})\nconsole.log(result)`
  )
  const update = callOf('rooms/:room/echo', 'update', { id: '1', route: { room: 'a'.repeat(40) }, data: form(false) })
  t.match(await send(update), "update(\n  '1',\n  body,\n  { route: {")
  const find = callOf('echo', 'find', { query: { area: { $gt: 5 }, $sort: { 'a b': -1 } } })
  t.match((await requestOfCall(find, 'http://a.example', {})).url, '%24sort%5Ba%20b%5D')
  const { curl } = toTexts(find, await requestOfCall(find, 'http://a.example', {}), 'http://a.example', {})
  const many = Object.fromEntries(['a', 'b', 'c'].map((name) => [`X-${name}`, name.repeat(30)]))
  const lines = ['a', 'b', 'c'].map((name) => `'X-${name}': '${name.repeat(30)}'`)
  const { fetch } = toTexts(find, await requestOfCall(find, 'http://a.example', many), 'http://a.example', many)
  t.match(fetch, `  headers: {\n    Accept: 'application/json',\n    ${lines.join(',\n    ')}\n  }\n})`)
  const long = callOf('echo', 'create', { data: { text: 'x'.repeat(80) } })
  const sent = toTexts(long, await requestOfCall(long, 'http://a.example', {}), 'http://a.example', {})
  t.match(sent.fetch, `  body: JSON.stringify({\n    text: '${'x'.repeat(80)}'\n  })\n})`)
  const share = callOf('echo', 'share', { id: '1', route: { place: 'a' }, data: {} })
  const { typescript } = toTexts(share, await requestOfCall(share, 'http://a.example', {}), 'http://a.example', {})
  t.match(typescript, "const app = createClient({ routes: { echo: { share: 'POST ")
  t.match(curl, `curl -g 'http://a.example/echo?area[$gt]=5&$sort[a%20b]=-1'`)
})

t.test('what a header holds is found in each text, to be covered', async (t) => {
  const call = callOf('echo', 'find')
  for (const key of ['123abc', `it's "a" \\ key`]) {
    const texts = toTexts(call, await requestOfCall(call, base, { 'X-Key': key }), base, { 'X-Key': key })
    for (const [name, text] of Object.entries(texts)) {
      const covered = headerForms(key).reduce((open, form) => open.replaceAll(form, '•'), text)
      t.match(covered, '•', name)
      t.notMatch(covered, key.slice(-3), name)
    }
  }
})

t.test('names of a hostile document are texts', async (t) => {
  const name = `x'](alert(1)); //`
  const { service, operation } = callOf('echo', 'archive')
  const call = { ...callOf('echo', 'archive'), service: { ...service, path: "a'b" }, operation: { ...operation, name } }
  const { typescript } = toTexts(call, { method: 'POST', url: base, headers: {}, body: undefined }, base, {})
  t.match(
    typescript,
    `app.service<{ 'x\\'](alert(1)); //'(data?: unknown): Promise<unknown> }>('a\\'b')['x\\'](alert(1)); //'](`
  )
  const data = JSON.parse('{ "__proto__": { "a": 1 }, "constructor": 2 }')
  const texts = toTexts(
    { ...call, data },
    { method: 'POST', url: base, headers: {}, body: JSON.stringify(data) },
    base,
    {}
  )
  t.match(texts.fetch, `JSON.stringify({ ['__proto__']: { a: 1 }, constructor: 2 })`)
})
