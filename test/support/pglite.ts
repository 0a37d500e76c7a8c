import { constants, cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import createKnex, { type Knex } from 'knex'
import PGliteClient from 'knex-pglite'
import type { Test } from 'tap'

const template = fileURLToPath(new URL('../../postgres', import.meta.url))

/** Makes a folder that holds an empty database. To create one takes six seconds of a core, to copy it less than one. */
export async function copyEmpty(folder: string): Promise<void> {
  if (!existsSync(template)) await createTemplate()
  cpSync(template, folder, { recursive: true, mode: constants.COPYFILE_FICLONE })
}

async function createTemplate(): Promise<void> {
  const folder = `${template}-${process.pid}`
  await (await PGlite.create(folder)).close()
  try {
    renameSync(folder, template)
  } catch {
    // Another file of the tests was faster.
    rmSync(folder, { recursive: true })
  }
}

/** An empty PostgreSQL inside the process; closed when the test ends. */
export async function openPGlite(t: Test): Promise<Knex> {
  const folder = t.testdir()
  await copyEmpty(folder)
  const pglite = await PGlite.create(folder)
  const knex = createKnex({ client: PGliteClient, connection: () => ({ pglite }) as object })
  t.teardown(async () => {
    await knex.destroy()
    if (!pglite.closed) await pglite.close()
  })
  return knex
}
