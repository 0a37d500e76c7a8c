import { KnexService } from '@feathersjs/knex'
import { MemoryService } from '@feathersjs/memory'
import { version } from 'fastify-services'
import { type ClientParams, ServiceError } from 'fastify-services/client'
import t, { type Test } from 'tap'
import type { Api } from '../support/client-api.js'
import { createDrivers } from '../support/client-drivers.js'
import { createHost } from '../support/host.js'
import { openPGlite } from '../support/pglite.js'

let last = Date.UTC(2026, 0, 1)
const set = () => new Date(++last)

/** A server whose notes have a version, with a page of another origin in view. */
async function serve(t: Test, notes: object, options: object = { set }, field = 'updatedAt') {
  const { app } = await createHost(t, {
    before: (app) => {
      app.addHook('onRequest', async (_request, reply) => {
        reply.headers({ 'access-control-allow-origin': '*' })
      })
    },
    after: (app) => void app.service('notes', notes, { hooks: { around: { all: [version(field, options)] } } })
  })
  return app.listen({ port: 0, host: '127.0.0.1' })
}

// What a scenario of a page uses, it has as an argument.
interface Written {
  id: number
  updatedAt: string
}
const write = async (api: Api, { base }: { base: string }) => {
  const notes = api.client(base).service('notes')
  const { id, updatedAt } = (await notes.create({ text: 'a' })) as unknown as Written
  const changed = (await notes.patch(id, { text: 'b' }, { ifMatch: updatedAt })) as unknown as Written
  const outcomes = [
    await api.outcome(() => notes.patch(id, { text: 'c' }, { ifMatch: updatedAt })),
    await api.outcome(() => notes.update(id, { text: 'c' }, { ifMatch: updatedAt })),
    await api.outcome(() => notes.remove(id, { ifMatch: updatedAt })),
    await api.outcome(() => notes.remove(id, { ifMatch: changed.updatedAt }))
  ]
  return { outcomes, isChanged: changed.updatedAt !== updatedAt }
}

t.test('a write that names the version is done once, with every library', async (t) => {
  const base = await serve(t, new MemoryService({ startId: 1 }))
  const refused = {
    code: 412,
    name: 'PreconditionFailed',
    className: 'precondition-failed',
    isServiceError: true,
    message: /has been changed since it was read/
  }
  for (const { adapter, run } of await createDrivers()) {
    const { outcomes, isChanged } = await run(write, { base })
    t.ok(isChanged)
    t.match(outcomes, [refused, refused, refused, { text: 'b' }], adapter)
  }
})

t.test('the version as PostgreSQL has it', async (t) => {
  const knex = await openPGlite(t)
  await knex.schema.createTable('notes', (table) => {
    table.increments('id')
    table.text('text')
    table.timestamp('updatedAt', { useTz: true })
  })
  const base = await serve(t, new KnexService({ Model: knex, name: 'notes' }))
  const [driver] = await createDrivers()
  const told = await driver?.run(write, { base })
  t.match(told, { isChanged: true, outcomes: [{ code: 412 }, { code: 412 }, { code: 412 }, { text: 'b' }] })
})

t.test('a number, a text of any kind, none at all, and one that is required', async (t) => {
  const texts = ['a "b", ä%', '*', '😀', 'a-gzip', 'a', 'a;br']
  let count = 0
  const versions: (string | number)[] = [0, ...texts]
  const next = () => versions[count++ % versions.length] as string
  const base = await serve(t, new MemoryService({ startId: 1 }), { set: next, required: true }, 'tag')
  const [driver] = await createDrivers()
  const told = await driver?.run(
    async (api, { base, versions }) => {
      const notes = api.client(base).service('notes')
      await notes.create({})
      const outcomes: unknown[] = []
      for (const ifMatch of versions) outcomes.push(await api.outcome(() => notes.patch(1, {}, { ifMatch })))
      outcomes.push(await api.outcome(() => notes.patch(1, {}, { ifMatch: undefined } as never)))
      outcomes.push(await api.outcome(() => notes.patch(1, {}, { ifMatch: null } as never)))
      outcomes.push(await api.outcome(() => notes.patch(1, {}, { headers: { 'If-Match': '*' } })))
      return outcomes
    },
    { base, versions }
  )
  const patched = [...texts, 0].map((tag) => ({ id: 1, tag }))
  const required = { code: 428, name: 'PreconditionRequired', isServiceError: true }
  t.match(told, [...patched, required, { code: 412 }, { id: 1 }])
  const params: ClientParams = { ifMatch: 1 }
  // @ts-expect-error a client does not know which field of a record is the version
  params.ifMatch = { updatedAt: 1 }
  t.type(ServiceError, 'function')
})
