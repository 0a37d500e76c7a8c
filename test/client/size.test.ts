import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from 'tap'

const door = new URL('../../lib/client/index.js', import.meta.url).pathname

/** The bytes of a bundle for browsers, minified and gzipped. */
async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: '.' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

const connected = `import { authentication, createClient, rest } from '${door}'
export const app = createClient().configure(rest('/api').fetch(fetch))`

t.test('a client over fetch is at most 7 kB gzipped, with login at most 8.7 kB', async (t) => {
  const [bare, withLogin] = [await sizeOf(connected), await sizeOf(`${connected}.configure(authentication())`)]
  t.comment(`createClient, rest and fetch: ${bare} bytes; with authentication: ${withLogin} bytes`)
  t.ok(bare <= 7000, `${bare} bytes`)
  t.ok(withLogin <= 8700, `${withLogin} bytes`)
})
