import { join } from 'node:path'
import { build, type Format } from 'esbuild'
import t from 'tap'
import { run, temporaryFolder } from './pack.js'
import { root } from './sources.js'

const program = `import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import explorer from 'fastify-services/explorer'

const app = Fastify()
const schema = resource({
  type: 'object',
  properties: { id: { type: 'integer' }, day: { type: 'string', format: 'date' } },
  required: ['id', 'day'],
  additionalProperties: false
}, { readOnly: ['id'] })
app.register(services).after(() => {
  app.service('days', { create: async (data) => ({ id: 1, ...data }) }, { schema })
})
app.register(explorer, { document: '/openapi.json' })
for (const day of ['2026-01-31', 'x'])
  app.inject({ method: 'POST', url: '/days', payload: { day } }).then(({ statusCode, body }) => console.log(statusCode, body))
app.inject('/explorer').then(({ statusCode, body }) => console.log(statusCode, body.slice(0, 15)))
`
// What esbuild asks for where a bundle of modules has CommonJS in it, as Fastify is.
const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`

for (const [format, file] of [
  ['cjs', 'server.cjs'],
  ['esm', 'server.mjs']
] as [Format, string][])
  t.test(`a server that is one file, as ${format}, runs without its packages`, async (t) => {
    const folder = await temporaryFolder(t)
    await build({
      stdin: { contents: program, resolveDir: root },
      alias: {
        'fastify-services': join(root, 'dist/index.js'),
        'fastify-services/explorer': join(root, 'dist/lib/explorer/index.js')
      },
      bundle: true,
      platform: 'node',
      format,
      outfile: join(folder, file),
      ...(format === 'esm' && { banner: { js: banner } })
    })
    const { stdout, stderr } = await run(folder, process.execPath, file)
    const lines = stdout.trim().split('\n').sort()
    t.match(
      lines,
      [/^200 <!doctype html>$/i, /^201 \{"id":1,"day":"2026-01-31"\}$/, /^400 .*day must be a date/],
      stderr
    )
    t.equal(lines.length, 3)
  })
