import t from 'tap'
import { startChild } from '../support/request-child.js'

const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const writes = [
  ['POST', '/things'],
  ['PUT', '/things/1'],
  ['PUT', '/things'],
  ['PATCH', '/things/1'],
  ['PATCH', '/things']
] as const
const deep = (open: string, close: string) => open.repeat(50_000) + close.repeat(50_000)

const bad: [name: string, body: string][] = [
  '{',
  '{"a":NaN}',
  '{}}',
  '{} x',
  '{"__proto__":{}}',
  '{"a":{"__proto__":{"polluted":1}}}',
  '[{"__proto__":{"polluted":1}}]',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"\\u005f_proto__":{"polluted":1}}',
  '{a:1}',
  "{'a':1}",
  '{"a":undefined}',
  '{"a":1,}',
  '[1,]',
  '{"a":01}',
  '{"a":+1}',
  '{"a":Infinity}',
  '"',
  '\0',
  ' ',
  'a=1',
  '<a/>',
  '\ufeff{',
  '{"a":"\n"}',
  '//',
  '[',
  'nul',
  '{"a":1}{"a":2}'
].map((body) => [JSON.stringify(body), body])

t.test('`{`, `{"a":NaN}`, trailing junk, `{"__proto__":{}}`: 400 BadRequest', async (t) => {
  const { request, alive } = await startChild(t)
  for (const [name, body] of bad) {
    for (const [verb, target] of [...writes, ['DELETE', '/things/1']] as const) {
      const answer = await request(verb, target, json, body)
      t.match(
        { ...answer, body: JSON.parse(answer.body) },
        { status: 400, body: { name: 'BadRequest', code: 400, className: 'bad-request' } },
        `${verb} ${target} ${name}`
      )
    }
    t.strictSame(await alive(t, name), [], 'the service is not called')
  }
})

t.test('JSON `null`, `1`, `"s"`, `[]` for update: 400 BadRequest', async (t) => {
  const { request, alive } = await startChild(t)
  for (const [verb, target] of writes) {
    for (const body of ['null', '1', '"s"', 'true', '0', '""', ...(verb === 'POST' ? [] : ['[]', '[{}]'])]) {
      const answer = await request(verb, target, json, body)
      t.match(
        { ...answer, body: JSON.parse(answer.body) },
        { status: 400, body: { name: 'BadRequest', message: /must be an object$/ } },
        `${verb} ${target} ${body}`
      )
      t.strictSame(await alive(t, body), [])
    }
  }
})

t.test(
  'no body, empty body with a JSON content type on POST, PUT, PATCH: 400 `No data provided`; on DELETE it is ignored',
  async (t) => {
    const { request, alive } = await startChild(t)
    const empty = [{}, { 'Content-Length': '0' }, json, { ...json, 'Content-Length': '0' }]
    for (const headers of empty) {
      for (const [verb, target] of writes) {
        const { status, body } = await request(verb, target, headers)
        t.match(
          [status, JSON.parse(body)],
          [400, { name: 'BadRequest', message: 'No data provided' }],
          `${verb} ${target} ${JSON.stringify(headers)}`
        )
      }
      t.strictSame(await alive(t, 'no body'), [])
      t.equal((await request('DELETE', '/things/1', headers)).status, 200)
      t.strictSame(await alive(t, 'DELETE'), [{ method: 'remove', id: '1' }])
    }
    const { status } = await request('POST', '/things', { ...json, 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n')
    t.equal(status, 400, 'chunked')
    t.equal(
      (await request('DELETE', '/things/1', { ...json, 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n')).status,
      200
    )
    t.strictSame(await alive(t, 'chunked'), [{ method: 'remove', id: '1' }])
  }
)

t.test('`text/plain`, `application/json garbage`, no content type with a body: 415 UnsupportedMediaType', async (t) => {
  const { request, alive } = await startChild(t)
  for (const type of [
    'text/plain',
    'text/plain; charset=utf-8',
    'application/json garbage',
    'application/jsonp',
    'application/xml',
    'multipart/form-data; boundary=x',
    'json',
    '/',
    '*/*',
    '',
    undefined
  ]) {
    for (const [verb, target] of writes) {
      const { status, body } = await request(
        verb,
        target,
        type === undefined ? {} : { 'Content-Type': type },
        '{"a":1}'
      )
      t.match(
        [status, JSON.parse(body)],
        [415, { name: 'UnsupportedMediaType', code: 415, className: 'unsupported-media-type' }],
        `${verb} ${target} ${type}`
      )
    }
    t.strictSame(await alive(t, `${type}`), [])
  }
})

t.test('body over the limit, declared and chunked: 413 PayloadTooLarge', async (t) => {
  const { request, alive } = await startChild(t, { server: { bodyLimit: 1000 } })
  const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`
  for (const headers of [json, form]) {
    for (const [verb, target] of writes) {
      for (const [name, more, body] of [
        ['declared', {}, `{"a":"${'x'.repeat(1000)}"}`],
        ['declared, and not sent', { 'Content-Length': '1000000000' }, ''],
        ['chunked', { 'Transfer-Encoding': 'chunked' }, `${chunk}${chunk}0\r\n\r\n`]
      ] as const) {
        const answer = await request(verb, target, { ...headers, ...more }, body)
        t.match(
          [answer.status, JSON.parse(answer.body || '{}')],
          [413, { name: 'PayloadTooLarge', code: 413, className: 'payload-too-large' }],
          `${verb} ${target} ${name}`
        )
      }
    }
    t.strictSame(await alive(t, '413'), [])
  }
})

// How deep JSON is parsed differs between versions of Node: where it is, the service gets it.
t.test('JSON nested 50,000 deep: 400, 500, or handed to the service; alive', async (t) => {
  const { request, alive } = await startChild(t, { server: { bodyLimit: 10_000_000 } })
  for (const [name, body] of [
    ['lists', deep('[', ']')],
    ['objects', deep('{"a":', '}').replace('}', '1}')],
    ['open', '['.repeat(50_000)],
    ['in a field', `{"a":${deep('[', ']')}}`]
  ] as const) {
    for (const [verb, target] of [
      ['POST', '/things'],
      ['PUT', '/things/1']
    ] as const) {
      const { status } = await request(verb, target, json, body)
      const calls = await alive(t, name)
      if (calls.length === 0) t.ok([400, 500].includes(status), `${verb} ${name}: ${status}`)
      else t.ok([200, 201, 500].includes(status), `${verb} ${name}: ${status}`)
    }
  }
  const { status } = await request('POST', '/things', form, `a${'[a]'.repeat(50_000)}=1`)
  t.equal(status, 400)
  t.strictSame(await alive(t, 'a form'), [])
})

t.test('client goes away in the middle of its body: service not called, alive', async (t) => {
  const { leave, alive } = await startChild(t)
  for (const headers of [json, form]) {
    for (const [verb, target] of [...writes, ['DELETE', '/things/1']] as const) {
      for (const [more, body] of [
        [{ 'Content-Length': '100' }, '{"a":1}'],
        [{ 'Content-Length': '100' }, ''],
        [{ 'Transfer-Encoding': 'chunked' }, '7\r\n{"a":1}\r\n'],
        [{ 'Transfer-Encoding': 'chunked' }, '7\r\n{"a"']
      ] as [Record<string, string>, string][]) {
        await leave(verb, target, { ...headers, ...more }, body)
        t.strictSame(await alive(t, `${verb} ${target}`), [], 'service not called')
      }
    }
  }
})
