import { PGlite } from '@electric-sql/pglite'
import { PGliteDialect } from 'kysely'
import t from 'tap'
import { kyselyAdapter } from '../support/adapter-kysely.js'
import { tableContract } from '../support/adapter-table.js'
import { copyEmpty } from '../support/pglite.js'

t.test('kysely on PostgreSQL inside the process', async (t) => {
  const folder = t.testdir()
  await copyEmpty(folder)
  const pglite = await PGlite.create(folder)
  await tableContract(t, kyselyAdapter(t, 'PGlite', 'postgres', new PGliteDialect({ pglite })))
})
