// Makes one file of the page of the explorer: its script, with the client in it, and its style stand within.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const source = new URL('../lib/explorer/page/', import.meta.url)
// The client takes what `browser` in package.json puts in the place of its modules for Node, here of the sources.
const { browser } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const toSource = (path) => fileURLToPath(new URL(path.replace('./dist/', '../').replace(/js$/, 'ts'), import.meta.url))
const places = new Map(Object.entries(browser).map(([from, to]) => [toSource(from), toSource(to)]))
const forBrowsers = {
  name: 'browser',
  setup({ onResolve }) {
    onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => ({
      path: places.get(resolve(resolveDir, path).replace(/js$/, 'ts'))
    }))
  }
}
const target = new URL('../dist/lib/explorer/', import.meta.url)

async function bundle(name) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(name, source))],
    bundle: true,
    plugins: [forBrowsers],
    minify: true,
    format: 'iife',
    target: ['chrome123', 'firefox125', 'safari17.5'],
    // A text of the page holds no character that some server could send in another encoding.
    charset: 'ascii',
    write: false
  })
  return outputFiles[0].text.trim()
}

const [script, style] = await Promise.all([bundle('main.ts'), bundle('page.css')])
if (/<\/?(script|style)/i.test(script + style))
  throw new Error('The script or the style of the explorer would end itself')
const html = readFileSync(new URL('page.html', source), 'utf8')
  .replace('<style></style>', () => `<style>${style}</style>`)
  .replace('<script></script>', () => `<script>${script}</script>`)
mkdirSync(target, { recursive: true })
writeFileSync(new URL('page.json', target), JSON.stringify(html))
