import t from 'tap'
import { type Call, missingIn, requestOfCall } from '../../lib/explorer/model/call.js'
import { servicesIn } from '../../lib/explorer/model/services.js'
import { toTexts } from '../../lib/explorer/model/texts.js'
import { isKept } from '../support/kept.js'
import { resultOf } from './plain.js'

// biome-ignore format: a table
const routes: readonly string[] = [
  ...['find GET /', 'get GET /:id', 'create POST /', 'update PUT /:id', 'patch PATCH /:id', 'remove DELETE /:id'],
  ...['share POST /:id/share/:place/:day', 'stats GET /all/stats', 'sum-up PUT /sum', 'audit DELETE /:id/audit'],
  ...['tell PATCH /tell', '_own POST /own', 'a1 GET /a1', 'archive', 'x-y', '1st', 'Archive']
]
const bulk: readonly string[] = ['update PUT /', 'patch PATCH /', 'remove DELETE /']

/** The services at a path whose methods have these routes. */
function serviceAt(path: string) {
  const operations = (path === 'bulk' ? bulk : routes).map((text) => {
    const [method, verb, url = '/'] = text.split(' ')
    const route = verb && `${verb} ${url}`
    const hasData = verb === undefined || verb.startsWith('P')
    const place = `/${path}${url}`.replace(/:(\w+)/g, '{$1}')
    return [
      place,
      { any: { 'x-service': { path, method, route }, ...(hasData && { requestBody: {} }) } },
      method
    ] as const
  })
  const services = operations.map(([place, item]) => servicesIn({ paths: { [place]: item } }).get(path))
  const methods = new Map(services.flatMap((service) => [...(service?.operations ?? [])]))
  return {
    path,
    idField: 'id',
    description: undefined,
    placeholders: services[0]?.placeholders ?? [],
    operations: methods
  }
}

type Given = Partial<Call> & { readonly base?: string; readonly headers?: Record<string, string> }
type Row = readonly [path: string, method: string, given?: Given]

const nasty = `'; x "$HOME" \`id\` \\ \\' \t\r\n \u0000 \u202e</script>\u2028 \ud83d\ude00 é %41 &amp; @/etc`
const form = (...entries: (readonly [string, string | File])[]) => {
  const data = new FormData()
  for (const [name, value] of entries) data.append(name, value)
  return data
}
const file = new File(['abc'], `it's a "file"; \\ x.txt`, { type: 'text/plain' })
const untyped = new File([''], 'b')
const long = {
  title: 'x'.repeat(50),
  list: [{ a: 1, 'b-c': null }, 'y'.repeat(40)],
  none: undefined,
  deep: { a: { b: [[]], c: {} } }
}
const room = { room: 'a b/c' }

// biome-ignore format: a table
const rows: readonly Row[] = [
  ['posts', 'find'], ['', 'find'], ['a/b', 'find', { base: 'http://a.example/v1' }],
  ['posts', 'find', { query: { a: { $gt: 5, $in: [1, 2] }, 'a b': nasty, $sort: { a: -1 }, $limit: 5 } }],
  ['posts', 'find', { query: { a: '[$]{}?&', b: '' }, headers: { Authorization: `Bearer it's "a" $T` } }],
  ['posts', 'find', { query: { a: null, b: true, c: 0, d: [], e: {} } }],
  ['posts', 'find', { base: 'http://a.example/{b}', headers: { 'X-A': '1', 'x-b': '' } }], ['posts', 'get', { id: '1' }],
  ['posts', 'get', { id: `${nasty}/?#` }], ['posts', 'get', { id: '..' }], ['posts', 'get', { id: '' }], ['posts', 'get'],
  ['posts', 'create', { data: { text: nasty, n: 1.5, yes: true, none: null, list: [{ 'a-b': [] }], [nasty]: {} } }],
  ['posts', 'create', { data: [{ a: 1 }, { a: 2 }] }], ['posts', 'create', { data: JSON.parse('{"__proto__":{"a":1},"constructor":2}') }],
  ['posts', 'create', { data: long }], ['posts', 'create', { data: {}, query: { $select: ['a', "it's"] } }], ['posts', 'create'],
  ['posts', 'update', { id: '1', data: { a: 1 } }], ['posts', 'update', { id: '1', data: long, query: { a: 1 } }],
  ['posts', 'update', { data: { a: 1 } }],
  ['posts', 'patch', { id: '1', data: { a: 'x'.repeat(80) }, headers: { A: 'b'.repeat(40), C: 'd'.repeat(40) } }],
  ['posts', 'patch', { data: {}, query: { a: 1 } }], ['posts', 'remove', { id: '1' }], ['posts', 'remove', { query: { a: 1 } }],
  ['rooms/:room/posts', 'find', { route: room }], ['rooms/:room/posts', 'find'],
  ['rooms/:room/:seat', 'patch', { id: '7', route: { ...room, seat: '9' }, data: { a: 1 }, query: { b: 2 } }],
  ['rooms/:room/:seat', 'get', { id: '7', route: { seat: '9' } }],
  ['posts', 'share', { id: '1', route: { place: "here'", day: '2' }, data: { a: 1 } }], ['posts', 'share', { route: { day: '2' } }],
  ['rooms/:room/posts', 'share', { id: '1', route: { ...room, place: 'x', day: 'y' }, data: long }], ['posts', 'stats'],
  ['posts', 'stats', { query: { a: 1 } }], ['posts', 'sum-up', { data: [1, 'a'] }], ['posts', 'audit', { id: 'a' }],
  ['posts', 'tell', { data: 'text' }], ['posts', '_own', { data: { a: 1 } }], ['posts', 'a1'], ['posts', 'archive', { data: { a: 1 } }],
  ['posts', 'archive', { data: null, query: { a: 1 } }], ['posts', 'archive'], ["it's", 'x-y', { data: 7 }],
  ['posts', '1st', { data: 'x'.repeat(60) }], ['posts', 'Archive', { data: false }], ['bulk', 'update', { data: [1] }], ['bulk', 'patch', { data: {}, query: { a: 1 } }],
  ['bulk', 'patch', { id: '7', data: {} }], ['bulk', 'remove'], ['bulk', 'remove', { id: '7' }],
  ['files', 'create', { data: form(['title', `@it's; \\ "title"`], ['n', '']) }],
  ['files', 'create', { data: form(['title', 'a'], ['file', file], ['file', untyped]), headers: { 'X-A': '1' } }],
  ['files', 'create', { data: form() }],
  ['files', 'update', { id: '1', data: form(['file', untyped], ['z', 'é\u202e']), query: { a: 1 } }],
  ['files', 'archive', { data: form(['a', 'b']) }]
]

// Lines that nearly all texts have, and those that say once more what the request is: `requests.test.ts` runs the texts, and reads one of each kind whole.
const isCommon = (line: string): boolean =>
  /^$|^import \{|^(const (app|connection|response) =|console\.log)|^\}\)$|^curl |^ {2}-H |Accept: /.test(line)

t.test('requests of all forms, as they are sent and as they are copied', async (t) => {
  const kept: Record<string, unknown> = {}
  for (const [index, [path, method, { base = 'http://a.example', headers = {}, ...given }]] of rows
    .map(([path, method, given = {}]) => [path, method, given] as const)
    .entries()) {
    const service = serviceAt(path)
    const operation = service.operations.get(method) ?? t.fail(`no ${method}`)
    const call = { service, operation, id: undefined, route: {}, query: {}, data: undefined, ...given } as Call
    const request = await resultOf(async () => {
      const { method, url, headers: sent, body } = await requestOfCall(call, base, headers)
      const names = Object.entries(sent).map(([name, value]) => `${name}: ${value}`)
      return [`${method} ${url}`, ...names.filter((line) => !isCommon(line)), ...[body ?? []].flat()]
    })
    const texts = async () => {
      const made = toTexts(call, await requestOfCall(call, base, headers), base, headers)
      const lines = (text: string) => text.split('\n').filter((line) => !isCommon(line))
      const parts = Object.entries(made).map(([name, text]) => [name, lines(text)] as const)
      return Object.fromEntries(parts.filter(([, texts]) => texts.length > 0))
    }
    const missing = missingIn(call)
    kept[`${index + 1} ${path} ${method}`] = {
      request,
      ...(missing.length > 0 && { missing }),
      ...(typeof request !== 'string' && (await texts()))
    }
  }
  isKept(t, kept, 'test/explorer/whole-requests.txt')
})
