import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'
import { temporaryFolder } from '../package/pack.js'
import { type Library, libraries, toRecord } from '../server/resource/kinds/kind.js'
import { themes } from '../server/resource/kinds/themes.js'
import { generateIn, installGenerators } from './generators.js'

t.setTimeout(900_000)

await installGenerators()

// What the generators make of each service, by its path.
const types = `import type { paths } from './generated/openapi-typescript.js'
type Json<T> = T extends { content: { 'application/json': infer B } } ? B : never
type Post<P extends keyof paths> = NonNullable<paths[P]['post']>
export type Body<P extends keyof paths> = Json<NonNullable<Post<P> extends { requestBody?: infer R } ? R : never>>
export type Answer<P extends keyof paths> = Json<Post<P> extends { responses: { 201: infer R } } ? R : never>
`

// Kinds that a generator fails on, or whose values its types do not have.
const alias = 'openapi-typescript writes a union that refers to itself, which TypeScript refuses'
const index = 'openapi-typescript says of all names what the schema says of further ones'
const tuple = 'openapi-typescript leaves out the end of a tuple'
const other = 'its JSON Schema says less than the library takes or makes'
const unsayable = new Map([
  ['names of prototypes', 'openapi-typescript reads them off its own objects'],
  ['list of itself', alias],
  ['JSON', alias],
  ['lists or texts, at any depth', alias],
  ['tuple with a rest', tuple],
  ['tuple with a rest, as newer drafts write it', tuple],
  ['tuple with items that may be absent', tuple],
  ['tuple that lets more pass', tuple],
  ['object that lets more of a type pass', index],
  ['names of a pattern beside others', index],
  ['intersection of an object and a record', index],
  ['coerced number', other],
  ['coerced boolean', other],
  ['coerced text', other],
  ['text that becomes a number', other],
  ['text that is read as JSON', other]
])

/** A program that has the bodies that were sent and the answers that came, each with the type that was generated for it. */
async function createProgram(t: Test, library: Library) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: library, version: '1.0.0' } }))
  await app.register(services, { errorHandler: { html: false } })
  const kinds = Object.values(themes)
    .flatMap((kinds) => Object.entries(kinds))
    .filter(
      ([name, kind]) => kind[library] !== undefined && kind.refused?.[library] === undefined && !unsayable.has(name)
    )
  const started = kinds.flatMap(([name, kind]) => {
    try {
      const schema = resource(toRecord(library, kind) as object, { readOnly: ['id'] } as object)
      return [{ name, kind, schema }]
    } catch {
      // The table of kinds asks why.
      return []
    }
  })
  for (const [index, { schema }] of started.entries())
    app.service(`k${index}`, memory({ startId: 1 }) as object, { schema })
  const lines = [types]
  for (const [index, { name, kind }] of started.entries())
    for (const value of kind.valid ?? []) {
      const payload = JSON.stringify(kind.whole ? value : { f: value })
      const response = await app.inject({
        method: 'POST',
        url: `/k${index}`,
        payload,
        headers: { 'content-type': 'application/json' }
      })
      t.equal(response.statusCode, 201, `${name}: ${payload} ${response.body}`)
      lines.push(
        `export const body${lines.length}: Body<'/k${index}'> = ${payload} // ${name}`,
        `export const answer${lines.length}: Answer<'/k${index}'> = ${response.body} // ${name}`
      )
    }
  return { program: lines.join('\n'), document: app.swagger() }
}

for (const library of libraries)
  t.test(`${library}: clients are generated that know what was sent and what came`, async (t) => {
    const { program, document } = await createProgram(t, library)
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'program.ts'), program)
    for (const { code, text } of await generateIn(folder, document)) t.equal(code, 0, text)
  })
