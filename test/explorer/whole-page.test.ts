import Fastify from 'fastify'
import explorer from 'fastify-services/explorer'
import t from 'tap'
import { checkExplorerOptions, originOf } from '../../lib/explorer/options.js'
import { createPage } from '../../lib/explorer/page.js'
import { isKept } from '../support/kept.js'
import { resultOf, toPlain } from './plain.js'

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
  ...odd.flatMap((value) => [{ title: value }, { document: value }, { prefix: value }]),
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
        documents.map(async (one) => [
          one,
          await resultOf(() => originOf(one)),
          await resultOf(() => checkExplorerOptions({ document: one }))
        ])
      ),
      pages: pages.map((one) => {
        const { html, headers } = createPage(one)
        return [
          one,
          toStable(html).split('\n'),
          Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, toStable(value).split('; ')]))
        ]
      })
    },
    'test/explorer/whole-page.txt'
  )
})

t.test('what the explorer answers, and what it refuses to start with', async (t) => {
  const swagger = () => ({ paths: {} })
  // biome-ignore format: a table
  const starts: readonly (readonly [name: string, options: object, hasDocument: boolean])[] = [
    ['by default', {}, true], ['a prefix', { prefix: '/tools' }, true], ['the root', { prefix: '/' }, true],
    ['an address', { document: '/docs.json', title: 'Posts' }, true],
    ['an address, and no document', { document: 'https://api.example/a' }, false], ['no document', {}, false],
    ['no document, and a prefix', { prefix: '/tools' }, false], ['an option that is not known', { tittle: 'a' }, true]
  ]
  const kept = []
  for (const [name, given, hasDocument] of starts) {
    const app = Fastify({ exposeHeadRoutes: false })
    const seen: unknown[] = []
    app.addHook('onRoute', ({ method, url, schema }) => void seen.push([method, url, schema]))
    if (hasDocument) app.decorate('swagger', swagger as never)
    const start = await resultOf(async () => {
      await app.register(explorer, given)
      await app.ready()
      return 'starts'
    })
    const answers = []
    for (const url of start === 'starts'
      ? ['/explorer', '/explorer/', '/explorer/document.json', '/tools', '/tools/document.json', '/', '/document.json']
      : []) {
      const { statusCode, headers, body } = await app.inject(url)
      const { date, connection, 'content-length': length, ...rest } = headers
      answers.push([
        url,
        statusCode,
        statusCode === 404
          ? ''
          : Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, toStable(String(value))])),
        toStable(body)
      ])
    }
    await app.close()
    kept.push([name, toPlain(start), seen, answers])
  }
  isKept(t, kept, 'test/explorer/whole-plugin.txt')
})
