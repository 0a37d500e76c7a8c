import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import createKnex from 'knex'
import { killAtlas, soakAtlas } from './atlas.js'
import { Violations } from './load.js'
import { soakPlain } from './plain.js'

const minutes = Number(process.argv[2] ?? 1)
if (!(minutes > 0)) throw new Error('npm run soak -- [minutes]')
const part = (minutes * 60_000) / 4
const violations = new Violations()

await soakPlain(part, violations)

const folder = await mkdtemp(join(tmpdir(), 'soak-'))
try {
  await soakAtlas({ name: 'The atlas on PGlite', env: { ATLAS_DATA: folder }, spare: 0 }, part, violations)
} finally {
  await rm(folder, { recursive: true, force: true })
}

const { TEST_DATABASE_URL: server } = process.env
if (server) {
  // The connections of the pool, and their timers.
  await onServer(server, (url) =>
    soakAtlas({ name: 'The atlas on PostgreSQL', env: { DATABASE_URL: url }, spare: 12 }, part, violations)
  )
  await onServer(server, (url) =>
    killAtlas({ name: 'The atlas on PostgreSQL', env: { DATABASE_URL: url }, spare: 12 }, part, violations)
  )
} else console.log('PostgreSQL: left out, as TEST_DATABASE_URL names no server')

for (const violation of violations.list) console.log(`Violated: ${violation}`)
console.log(violations.list.length === 0 ? 'Soak: all held' : `Soak: ${violations.list.length} violated`)
process.exit(violations.list.length === 0 ? 0 : 1)

/** Gives an empty database of its own. */
async function onServer(server: string, run: (url: string) => Promise<void>): Promise<void> {
  const url = new URL(server)
  const knex = createKnex({ client: 'pg', connection: server })
  const name = `soak_${process.pid}`
  await knex.raw('create database ??', [name])
  url.pathname = name
  try {
    await run(url.href)
  } finally {
    await knex.raw('drop database ?? with (force)', [name])
    await knex.destroy()
  }
}
