import t from 'tap'
import { checkExplorerOptions, originOf } from '../../lib/explorer/options.js'
import { createPage } from '../../lib/explorer/page.js'
import { isKept } from '../support/kept.js'
import { resultOf } from './plain.js'

/** Without the script, the style and their hashes, which each build makes anew. */
const toStable = (value: string) =>
  value.replace(/<(script|style)>.*?<\/\1>/gs, '<$1>…</$1>').replace(/sha256-[\w+/]{43}=/g, 'sha256-…')

const odd = [undefined, null, true, 0, '', [], {}, () => 'a', class A {}, Symbol.iterator]
// biome-ignore format: a table
const documents = [
  ...[
    '/a.json', 'a.json', '?a', '#a', '', 'https://api.example/a?b="c"&d=<e>', 'HTTP://API.example:80/', 'https://u:p@api.example:8443/x',
    '//api.example/a', 'http://here.invalid/a'
  ],
  ...[
    'javascript:alert(1)', 'http://', 'data:,{}', 'ftp://a.example', 'file:///a', 'https:', 'http://[', 'xhttp://a', 'ws://a',
    'httpsx://a', `ftp://${'x'.repeat(50)}`
  ]
]
// biome-ignore format: a table
const options: object[] = [
  ...[
    {}, { prefix: '/a', document: '/b', title: 'c' }, { logLevel: 'warn', logSerializers: {} }, { titel: 'a' }, { PREFIX: 1 },
    { odd: 1, more: 2 }, { Document: '/a' }
  ],
  ...odd.map((value) => ({ title: value })),
  ...['/', 'https://a.example/?b="c"', 'javascript:alert(1)', 7].map((home) => ({ home })),
  ...odd.map((value) => ({ document: value })),
  ...[{ document: 7, title: 7 }, { title: 7, odd: 1 }]
]
// biome-ignore format: a table
const pages = [
  {}, { document: '/docs/json' },
  { title: `a & b <c> "d" 'e' $& $1 %title% %document%`, document: `https://api.example/a?b="c"&d='e'<f>$&%title%` },
  { title: '', document: '' }
]

t.test('options of the explorer, and the page that they make', async (t) => {
  const given = (option: object) =>
    Object.entries(option)
      .map(
        ([name, value]) =>
          `${name}: ${typeof value === 'function' || typeof value === 'symbol' ? typeof value : JSON.stringify(value)}`
      )
      .join(', ')
  isKept(
    t,
    {
      options: await Promise.all(
        options.map(async (one) => [given(one), await resultOf(() => checkExplorerOptions(one))])
      ),
      origins: await Promise.all(
        documents.map(async (one) => {
          const [origin, check] = [
            await resultOf(() => originOf(one)),
            await resultOf(() => checkExplorerOptions({ document: one }))
          ]
          return [one, origin, ...(check === origin || check === '(undefined)' ? [] : [check])]
        })
      ),
      pages: pages.map((one) => {
        const { html, headers } = createPage(one)
        const own = toStable(html)
          .split('\n')
          .filter((line) => /<title>|name="document"/.test(line))
        return [one, ...own, toStable(String(headers['content-security-policy'])).match(/connect-src [^;]*/)?.[0]]
      })
    },
    'test/explorer/whole-page.txt'
  )
})
