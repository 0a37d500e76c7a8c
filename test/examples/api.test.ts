import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { build } from 'esbuild'
import t from 'tap'
import { root } from '../package/sources.js'

// Its database is not asked: `test/package/create.world.test.ts` starts whole projects.
t.test('the document of the templates, with and without cookies', async (t) => {
  const source = join(root, 'examples/api')
  const outdir = t.testdir()
  const names = readdirSync(source).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  await build({ entryPoints: names.map((name) => join(source, name)), outdir, format: 'esm', logLevel: 'error' })
  const { createApp } = await import(pathToFileURL(join(outdir, 'app.js')).href)
  for (const cookie of [false, true]) {
    const database = { db: drizzle.mock(), close: async () => {} }
    const app = await createApp({ database, secret: 'x'.repeat(32), cookie })
    t.teardown(() => app.close())
    t.equal((await app.inject('/explorer')).statusCode, 200)
    const document = await app.inject('/openapi.json')
    t.equal(document.statusCode, 200)
    t.equal((await app.inject('/explorer/document.json')).body, document.body)
    const { paths, components } = document.json()
    t.strictSame(Object.keys(components.securitySchemes), cookie ? ['Bearer', 'Cookie'] : ['Bearer'])
    t.strictSame(paths['/events'].get.security, paths['/projects'].get.security)
  }
})
