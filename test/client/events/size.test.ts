import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from 'tap'

const door = (name: string) => JSON.stringify(fileURLToPath(new URL(`../../../lib/client/${name}`, import.meta.url)))
const client = `import { createClient, rest } from ${door('index.js')}
export const app = createClient().configure(rest('/api').fetch(fetch))`
const withEvents = `import { events } from ${door('events/index.js')}
${client}.configure(events())`

/** The bytes that a page loads at its start, as gzip leaves them. */
async function sizeOf(contents: string): Promise<number> {
  const options = { bundle: true, minify: true, splitting: true, format: 'esm', platform: 'browser' } as const
  const { outputFiles, metafile } = await build({
    ...options,
    stdin: { contents, resolveDir: '.' },
    outdir: '/bundle',
    write: false,
    metafile: true
  })
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === '<stdin>')
  const statics = entry?.[1].imports.filter(({ kind }) => kind === 'import-statement') ?? []
  const names = [entry?.[0] ?? '', ...statics.map(({ path }) => path)].map((path) => path.replace(/^.*\//, '/'))
  const files = outputFiles.filter(({ path }) => names.some((name) => path.endsWith(name)))
  return files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
}

t.test('events add no more than this to a client', async (t) => {
  const added = (await sizeOf(withEvents)) - (await sizeOf(client))
  t.ok(added > 1000 && added <= 5600, `${added} bytes`)
})
