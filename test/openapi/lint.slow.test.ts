import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { examples } from './examples.js'
import { generator, installGenerators } from './generators.js'

t.setTimeout(300_000)

await installGenerators()
for (const [name, create] of Object.entries(examples))
  t.test(`the document of the ${name}`, async (t) => {
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
