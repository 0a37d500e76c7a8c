import t from 'tap'
import { compile, compilers, createProject } from '../support/compilers.js'

t.setTimeout(900_000)

const numbers = Array.from({ length: 200 }, (_, index) => index)

const declaration = (n: number) => `
interface Record${n} { id: number; text${n}: string; at: Date; tags?: string[] }
class Service${n} {
  async find(_params: Params<{ text${n}?: string }>): Promise<Record${n}[]> { return [] }
  async get(id: Id, _params: Params): Promise<Record${n}> { return { id: Number(id), text${n}: '', at: new Date() } }
  async create(data: { text${n}: string }, _params: Params): Promise<Record${n}> { return { id: 1, at: new Date(), ...data } }
  async update(id: Id, data: { text${n}: string }, _params: Params): Promise<Record${n}> { return { id: Number(id), at: new Date(), ...data } }
  async patch(id: Id, data: { text${n}?: string }, _params: Params): Promise<Record${n}> { return { id: Number(id), at: new Date(), text${n}: '', ...data } }
  async remove(id: Id, _params: Params): Promise<Record${n}> { return { id: Number(id), text${n}: '', at: new Date() } }
}
declare module 'fastify-services' { interface Services { s${n}: Service${n} } }`

const use = (n: number) => `
app.service('s${n}', new Service${n}(), {
  methods: ['find', 'get', 'create'],
  hooks: { before: { create: [({ data }) => void data.text${n}] }, after: { get: [async ({ result }) => void result.text${n}] } }
})
void (await app.service('s${n}').find({ query: { text${n}: 'a' } }))[0]?.text${n}
void (await client.service('s${n}').create({ text${n}: 'a' })).at`

const program = `import Fastify from 'fastify'
import services, { type Id, type Params, type Services } from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
${numbers.map(declaration).join('')}
const app = Fastify()
await app.register(services)
const client = createClient<Services>().configure(rest('http://localhost').fetch(fetch))
${numbers.map(use).join('')}
`

const folder = await createProject('many', program)

// Instantiations are a measure that does not depend on the machine.
for (const compiler of compilers)
  t.test(`${compiler}: 200 services with 6 methods take at most 500,000 instantiations`, async (t) => {
    const { code, stdout } = await compile(compiler, folder, '--extendedDiagnostics')
    t.equal(code, 0, stdout)
    const count = Number(/^Instantiations: +(\d+)$/m.exec(stdout)?.[1])
    t.comment(`${count} instantiations`)
    t.ok(count > 100_000 && count <= 500_000, `${count}`)
  })
