import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { resource } from 'fastify-services'
import t, { type Test } from 'tap'
import * as v from 'valibot'
import * as z from 'zod'
import { examine } from './examine.js'
import { examineFlagged } from './examine-flags.js'
import { flagged } from './flagged.js'
import { libraries } from './kind.js'
import { themes } from './themes.js'
import { createThings, type Findings } from './things.js'

t.setTimeout(300_000)

// One library or kind alone: LIBRARY=zod KIND=email
const { LIBRARY, KIND } = process.env
const isAsked = (library: string, name: string) =>
  (LIBRARY === undefined || LIBRARY === library) && (KIND === undefined || KIND === name)

/** Asserts that nothing is wrong. */
const isHeld = (t: Test, name: string, findings: Findings) => {
  for (const [what, problems] of Object.entries(findings)) t.strictSame(problems, [], `${name}: ${what}`)
}

for (const library of libraries)
  t.test(library, async (t) => {
    for (const [theme, kinds] of Object.entries(themes))
      t.test(theme, async (t) => {
        for (const [name, kind] of Object.entries(kinds))
          if (kind[library] !== undefined && isAsked(library, name))
            isHeld(t, `${library} ${name}`, await examine(library, kind))
      })
    t.test('flags', async (t) => {
      for (const [name, row] of Object.entries(flagged))
        if (row[library] !== undefined && isAsked(library, name))
          isHeld(t, `${library} flag ${name}`, await examineFlagged(library, row))
    })
  })

t.test('readonly() of zod: a field as any other, or one that only the server sets, by all methods alike', async (t) => {
  const things = await createThings(
    resource(z.object({ id: z.int(), f: z.array(z.string()).readonly() }), { readOnly: ['id'] })
  )
  t.teardown(() => things.app.close())
  const body = { f: ['a'] }
  const answers = [
    await things.send('POST', '', body),
    await things.send('PUT', '/1', body),
    await things.send('PATCH', '/1', body)
  ]
  const isTaken = answers[0]?.status === 201
  for (const { status, message } of answers)
    if (isTaken) t.ok(status < 300, message)
    else t.strictSame([status, message], [400, 'f can not be set'])
})

t.test('of what Valibot can not say as JSON Schema, the start takes it, or gives an advice that works', async (t) => {
  const rules = [v.brand('Name'), v.check(() => true), v.trim(), v.readonly()]
  for (const rule of rules) {
    const field = v.pipe(v.string(), rule as v.GenericPipeAction<string, string>)
    const record = v.object({ id: v.number(), f: field })
    const toSchema = toStandardJsonSchema as (record: v.GenericSchema, options?: object) => object
    try {
      resource(toSchema(record))
      t.pass(`${rule.type}: it starts`)
    } catch (error) {
      const { message } = error as Error
      t.match(message, rule.type, 'it names the rule')
      if (message.includes("toStandardJsonSchema(schema, { errorMode: 'ignore' })"))
        t.doesNotThrow(() => resource(toSchema(record, { errorMode: 'ignore' })), `${rule.type}: as it advises`)
    }
  }
})
