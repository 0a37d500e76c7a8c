import t, { type Test } from 'tap'
import { toParts } from '../support/form.js'
import type { Expected } from './compare.js'
import { type Row, runRows } from './runner.js'

const type = { 'Content-Type': 'multipart/form-data; boundary=x' }
const chunked = { 'Transfer-Encoding': 'chunked' }
const title = ['name="title"', 'A'] as const
const fileOf = (name: string, content = 'hello') => [`name="${name}"; filename="a.txt"`, content, 'text/plain'] as const
const textOf = (...parts: Parameters<typeof toParts>) => toParts(...parts).payload
const whole = textOf(title, fileOf('file'))
const toChunks = (text: string, size: number) =>
  text.replace(new RegExp(`[^]{1,${size}}`, 'g'), (part) => `${part.length.toString(16)}\r\n${part}\r\n`)

const good: Expected = { status: 201, calls: [{ method: 'create' }] }
const bad = (message?: RegExp): Expected => ({ status: 400, calls: [], ...(message && { message }) })
const large: Expected = { status: 413, calls: [], message: /too large|larger than/ }
const long = 'x'.repeat(1001)
const many = (count: number, part: (index: number) => Parameters<typeof toParts>[0]) =>
  textOf(...Array.from({ length: count }, (_, index) => part(index)))

const bodies: [row: string, body: string, expected: Expected][] = [
  ['a form', whole, good],
  ['files that nobody reads', textOf(fileOf('file'), ...Array(10).fill(fileOf('more', 'x'.repeat(200)))), good],
  ['no parts', '--x--\r\n', good],
  ['no form', 'hello', bad(/^The form can't be read/)],
  ['a form without its end', whole.slice(0, -6), bad(/^The form can't be read/)],
  ['a form that ends in a file', whole.slice(0, whole.indexOf('hello') + 2), bad(/^The form can't be read/)],
  ['a form that ends in a header', whole.slice(0, whole.indexOf('filename')), bad(/^The form can't be read/)],
  ['a part without a name', textOf(['', 'A'], fileOf('file')), { status: [201, 400], calls: undefined }],
  ['a file without a name', textOf(['filename="a"', 'A']), { status: 400, calls: [] }],
  ['a file where a text is expected', textOf(fileOf('title')), bad(/^title can not be a file/)],
  ['a text where a file is expected', textOf(['name="file"', 'A']), bad(/^file must be a file/)],
  ['a file twice', textOf(fileOf('file'), fileOf('file')), bad(/^file must be one file/)],
  ['an unknown text', textOf(['name="other"', 'A']), bad(/^other is not known/)],
  ...['__proto__', 'constructor', 'toString', '__proto__[]', '__proto__[a]', 'file[__proto__]', 'a[b]'].flatMap(
    (name) => [
      [`a file ${name}`, textOf(fileOf(name)), bad()] as [string, string, Expected],
      [`a text ${name}`, textOf(title, [`name="${name}"`, 'A']), { status: [201, 400] }] as [string, string, Expected],
      [
        `JSON ${name}`,
        textOf(title, [`name="${name}"`, '{"__proto__":{"polluted":1}}', 'application/json']),
        bad()
      ] as [string, string, Expected]
    ]
  ),
  ['JSON that is none', textOf(['name="title"', '{', 'application/json']), bad(/^The form can't be read/)],
  [
    'JSON where a file is expected',
    textOf(['name="file"', '{"size":1}', 'application/json']),
    bad(/^file must be a file/)
  ],
  ['a long file', textOf(fileOf('file', long)), large],
  ['a long file, and another', textOf(fileOf('file', long), fileOf('more')), large],
  ['a long file that is not wanted', textOf(fileOf('other', long), fileOf('file')), { status: [400, 413], calls: [] }],
  ['a long text', textOf(['name="title"', long]), large],
  ['a long JSON', textOf(['name="title"', `"${long}"`, 'application/json']), bad()],
  ['a long name', textOf([`name="${long}"`, 'A']), bad()],
  ['21 texts', many(21, () => title), large],
  ['21 files', many(21, () => fileOf('more', '')), large],
  ['21 files that are not wanted', many(21, () => fileOf('other', 'x'.repeat(50))), { status: [400, 413], calls: [] }],
  ['thousands of parts', many(3000, (index) => [`name="a${index}"`, 'A']), large],
  ['a long form', many(6, () => fileOf('more', 'x'.repeat(900))), large],
  ['a long form of unwanted files', many(6, () => fileOf('other', 'x'.repeat(900))), large]
]

const rows = (path: string): Row[] => [
  ...bodies.flatMap(([row, body, expected]) => [
    { row: `${path}: ${row}`, request: { verb: 'POST', target: path, headers: type, body }, expected },
    {
      row: `${path}: ${row}, in chunks`,
      request: {
        verb: 'POST',
        target: path,
        headers: { ...type, ...chunked },
        body: `${toChunks(body, 100)}0\r\n\r\n`
      },
      expected
    }
  ]),
  {
    row: `${path}: a length over the limit, and nothing sent`,
    request: { verb: 'POST', target: path, headers: { ...type, 'Content-Length': '1000000000' } },
    expected: large
  },
  ...['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=y'].map((type) => ({
    row: `${path}: ${type}`,
    request: { verb: 'POST', target: path, headers: { 'Content-Type': type }, body: whole },
    expected: bad()
  })),
  ...[1, 0.5, 0.1].map((part) => ({
    row: `${path}: the client goes away behind ${part} of the form`,
    request: {
      verb: 'POST',
      target: path,
      headers: { ...type, 'Content-Length': '4000' },
      body: textOf(fileOf('more', 'x'.repeat(900)), fileOf('more', 'x'.repeat(900))).slice(0, 2000 * part),
      leaves: 'at once' as const
    },
    expected: { status: [0, 400], calls: [] }
  }))
]

for (const path of ['/streamed', '/attached', '/values'])
  t.test(`forms with files: ${path}`, (t) => runRows(t as Test, rows(path), { room: 'files' }))
// What is refused before it has arrived whole ends an HTTP/2 stream in the middle.
const isSentWhole = ({ request, expected }: Row) =>
  !['Transfer-Encoding', 'Content-Length'].some((name) => name in Object(request.headers)) && expected !== large
t.test('the same by HTTP/2', (t) =>
  runRows(t as Test, rows('/streamed').filter(isSentWhole), { room: 'files', http2: true })
)
