import '../support/auth-scrypt.js'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { createBlog } from '../../examples/blog/app.js'
import { expected } from './answers.js'
import { generator, projectOf } from './generators.js'

t.setTimeout(300_000)

type Program = { run(baseUrl: string): Promise<Record<string, unknown>> }

async function startBlog() {
  const app = await createBlog('x'.repeat(64))
  return { app, base: await app.listen({ port: 0 }) }
}

t.test('generated clients of the blog', async (t) => {
  const { app } = await startBlog()
  const folder = await projectOf(t, app.swagger())
  await app.close()
  const generated = (name: string) => join(folder, 'generated', name)
  const [hey, types] = await Promise.all([
    generator(folder, 'hey-api', '-i', 'openapi.json', '-o', generated('hey-api'), '-c', '@hey-api/client-fetch'),
    // By default it takes fields with a default for required, in a body too.
    generator(
      folder,
      'openapi-typescript',
      'openapi.json',
      ...['-o', generated('openapi-typescript.ts'), '--default-non-nullable', 'false']
    )
  ])
  t.equal(hey.code, 0, hey.stdout + hey.stderr)
  t.equal(types.code, 0, types.stdout + types.stderr)
  const { code, stdout } = await generator(folder, 'tsc', '-p', '.')
  t.equal(code, 0, stdout)

  for (const name of ['hey-api', 'openapi-fetch'])
    await t.test(`${name} gets the right answers`, async (t) => {
      const { app, base } = await startBlog()
      t.teardown(() => app.close())
      const { run } = (await import(pathToFileURL(join(folder, 'dist', `${name}.js`)).href)) as Program
      const answers = await run(base)
      t.strictSame(Object.keys(answers).sort(), Object.keys(expected).sort())
      for (const [name, answer] of Object.entries(expected)) t.match(answers[name], answer, name)
    })
})
