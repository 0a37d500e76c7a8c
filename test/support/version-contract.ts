import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import services, { type Params, type VersionOptions, version } from 'fastify-services'
import type { Knex } from 'knex'
import type { Test } from 'tap'

export interface VersionedRecord {
  readonly id: number
  readonly text: string
  readonly version: unknown
}

interface VersionedService {
  get(id: number): Promise<VersionedRecord>
  patch(id: number, data: object, params: Params): Promise<VersionedRecord>
  remove(id: number, params: Params): Promise<VersionedRecord>
}

type Answer = { readonly status: number; readonly etag: string | undefined; readonly body: VersionedRecord }

/** An application with a versioned service `notes`, and a function that sends requests to it over a socket. */
export async function serveVersioned(t: Test, notes: object, options?: VersionOptions) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.service('notes', notes, { hooks: { around: { all: [version('version', options)] } } })
  const address = await app.listen({ port: 0 })
  const send = async (verb: string, url: string, body?: object, ifMatch?: string): Promise<Answer> => {
    const headers = { 'content-type': 'application/json', ...(ifMatch !== undefined && { 'if-match': ifMatch }) }
    const response = await fetch(address + url, {
      method: verb,
      headers,
      ...(verb !== 'GET' && { body: JSON.stringify(body ?? {}) })
    })
    const text = await response.text()
    return {
      status: response.status,
      etag: response.headers.get('etag') ?? undefined,
      body: text === '' ? undefined : JSON.parse(text)
    }
  }
  return { app, address, send }
}

/**
 * What holds for each store: of writes that name the same version at the same time one succeeds, and none is lost.
 * @param set makes versions, `undefined` where the database does
 */
export async function versionContract(t: Test, notes: object, set?: VersionOptions['set']): Promise<void> {
  const { app, send } = await serveVersioned(t, notes, set && { set })
  const { body, etag } = await send('POST', '/notes', { text: 'first' })
  const url = `/notes/${body.id}`
  const read = async () => {
    const answer = await app.inject(url)
    return { etag: answer.headers.etag as string, record: answer.json() as VersionedRecord }
  }
  t.equal((await read()).etag, etag, 'what is created has the version that is read')

  const verbs = ['PATCH', 'PUT', 'PATCH', 'PATCH', 'PUT', 'PATCH']
  const raced = await Promise.all(verbs.map((verb, index) => send(verb, url, { text: `${index}` }, etag)))
  t.same(
    raced.map(({ status }) => status).sort(),
    [200, 412, 412, 412, 412, 412],
    'one of six that know the same version'
  )
  const winner = raced.find(({ status }) => status === 200)
  const after = await read()
  t.equal(after.record.text, winner?.body.text)
  t.equal(after.etag, winner?.etag)
  t.not(after.etag, etag)

  t.equal((await send('PATCH', url, { text: 'late' }, etag)).status, 412, 'an older version')
  t.equal((await send('DELETE', url, undefined, etag)).status, 412)
  t.equal((await send('PATCH', '/notes/4711', { text: 'none' }, etag)).status, 404, 'no such record')
  for (const odd of [
    '"nothing"',
    '"2030-01-01T00:00:00.000Z"',
    '"17"',
    '"%zz"',
    '"\'; --"',
    '"%00"',
    '"+275760-09-13T00:00:00.000Z"',
    'W/"x", "y"',
    '""'
  ])
    t.equal((await send('PATCH', url, { text: 'odd' }, odd)).status, 412, odd)
  t.equal((await read()).record.text, after.record.text, 'none of them has changed anything')

  t.equal(
    (await send('PATCH', url, { text: 'listed' }, `${etag}, W/${after.etag}`)).status,
    200,
    'a list, and a weak tag'
  )
  t.equal((await send('PATCH', url, { text: 'any' }, '*')).status, 200, 'any version')
  const { record } = await read()
  t.same((await send('PATCH', url, { text: 'value' }, String(record.version))).status, 200, 'a version without quotes')

  const service = app.service<VersionedService>('notes')
  const current = await service.get(record.id)
  const changed = await service.patch(record.id, { text: 'server' }, { ifMatch: current })
  t.equal(changed.text, 'server', 'a call of the server names a record')
  await t.rejects(service.patch(record.id, { text: 'old' }, { ifMatch: current.version }), { code: 412 })
  await t.rejects(service.remove(record.id, { ifMatch: current }), { code: 412, name: 'PreconditionFailed' })

  const last = (await read()).etag
  const ends = await Promise.all([send('DELETE', url, undefined, last), send('PATCH', url, { text: 'x' }, last)])
  const statuses = ends.map(({ status }) => status)
  t.ok(
    [
      [200, 412],
      [200, 404],
      [412, 200]
    ].some((pair) => `${pair}` === `${statuses}`),
    `a removal and a change: ${statuses}`
  )
}

/** The columns that hold versions: their type, and what makes them, `undefined` where the database does. */
const columns: readonly { type: string; set?: VersionOptions['set'] }[] = [
  { type: 'timestamptz default clock_timestamp()' },
  { type: 'timestamp(6) default clock_timestamp()' },
  { type: 'uuid default gen_random_uuid()' },
  { type: 'bigint default 1' },
  { type: 'integer', set: counter() },
  { type: 'text', set: () => crypto.randomUUID() },
  { type: 'timestamptz', set: later() }
]

function counter() {
  let last = 0
  return () => ++last
}

function later() {
  let last = Date.UTC(2026, 0, 1)
  return () => new Date(++last)
}

/** The contract with each type of column, on a database. */
export async function knexVersionContract(t: Test, Model: Knex): Promise<void> {
  for (const [index, { type, set }] of columns.entries())
    await t.test(`a version of type ${type}`, async (t) => {
      const name = `versioned_${index}`
      await Model.raw(`create table ${name} (id serial primary key, text text, version ${type})`)
      if (set === undefined) {
        const next = type.startsWith('bigint') ? 'old.version + 1' : type.split('default ')[1]
        await Model.raw(
          `create function ${name}_next() returns trigger language plpgsql as $$ begin new.version = ${next}; return new; end $$`
        )
        await Model.raw(
          `create trigger ${name}_next before update on ${name} for each row execute function ${name}_next()`
        )
      }
      t.teardown(() => Model.schema.dropTable(name))
      await versionContract(t, new KnexService({ Model, name }), set)
    })
}
