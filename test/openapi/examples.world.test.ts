import '../support/auth-scrypt.js'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { countries, expected } from './answers.js'
import { examples } from './examples.js'
import { compileClients, generator, installGenerators } from './generators.js'

t.setTimeout(900_000)

// Two files would install them into one folder at the same time.
await installGenerators()

for (const [name, create] of Object.entries(examples))
  t.test(`the document of the ${name} is valid, and a linter finds nothing in it`, async (t) => {
    const app = await create(t)
    await app.ready()
    const { body } = await app.inject('/openapi.json')
    const { valid, errors } = await new Validator().validate(JSON.parse(body))
    t.ok(valid, JSON.stringify(errors))

    const folder = t.testdir()
    await writeFile(join(folder, 'openapi.json'), body)
    const { code, stdout, stderr } = await generator(folder, 'redocly', 'lint', '--format=json', 'openapi.json')
    t.equal(code, 0, stderr)
    const { totals, problems } = JSON.parse(stdout)
    t.match(totals, { errors: 0, warnings: 0, ignored: 0 }, JSON.stringify(problems, null, 2))
  })

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
    const outcome = await run(base)
    t.strictSame(Object.keys(outcome).sort(), Object.keys(answers).sort())
    for (const [name, answer] of Object.entries(answers)) t.match(outcome[name], answer, name)
  })
