import '../support/auth-scrypt.js'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { countries, expected } from './answers.js'
import { examples } from './examples.js'
import { compileClients } from './generators.js'

t.setTimeout(300_000)

type Program = { run(baseUrl: string): Promise<Record<string, unknown>> }

const programs = [
  ['blog', 'hey-api', expected],
  ['blog', 'openapi-fetch', expected],
  ['atlas', 'countries', countries]
] as const

// What is compiled for one program serves the next.
const file = t
const compiled = new Map<string, string>()

for (const [example, program, answers] of programs)
  t.test(`generated clients of the ${example}, ${program}: the right answers`, async (t) => {
    const app = await examples[example](t)
    const base = await app.listen({ port: 0 })
    const folder = compiled.get(example) ?? (await compileClients(file, example, app.swagger()))
    compiled.set(example, folder)
    const { run } = (await import(pathToFileURL(join(folder, `${program}.js`)).href)) as Program
    const found = await run(base)
    t.strictSame(Object.keys(found).sort(), Object.keys(answers).sort())
    for (const [name, answer] of Object.entries(answers)) t.match(found[name], answer, name)
  })
