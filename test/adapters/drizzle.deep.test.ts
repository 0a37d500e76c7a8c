import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import t from 'tap'
import { drizzleAdapter } from '../support/adapter-drizzle.js'
import { tableContract } from '../support/adapter-table.js'
import { copyEmpty } from '../support/pglite.js'

t.test('drizzle on PostgreSQL inside the process', async (t) => {
  const folder = t.testdir()
  await copyEmpty(folder)
  const pglite = await PGlite.create(folder)
  t.teardown(() => pglite.close())
  const db = drizzle(pglite)
  await tableContract(
    t,
    drizzleAdapter('PGlite', 'postgres', db, (statement) => db.execute(statement))
  )
})
