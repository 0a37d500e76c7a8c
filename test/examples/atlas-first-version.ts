import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import createKnex from 'knex'
import type { DatabaseOptions } from '../../examples/atlas/database.js'

// What the first version of the atlas has made, with one country.
const sql = `
create schema atlas;
create table atlas.countries (
  cca3 text primary key, cca2 text not null, name text not null, official text not null, capital text not null,
  region text not null, subregion text not null, area double precision not null, landlocked boolean not null,
  "unMember" boolean not null, borders text[] not null, latlng double precision[] not null,
  languages jsonb not null, currencies jsonb not null
);
create table atlas.notes (
  id serial primary key, code text not null references atlas.countries (cca3), text text not null,
  pinned boolean not null, "changedAt" timestamptz not null
);
create index notes_code_index on atlas.notes (code);
insert into atlas.countries values ('CHE', 'CH', 'Switzerland', 'Swiss Confederation', 'Bern', 'Europe',
  'Western Europe', 41284, true, true, '{AUT,FRA,ITA,LIE,DEU}', '{47,8}', '{}', '{}');
insert into atlas.notes (code, text, pinned, "changedAt") values ('CHE', 'from the first version', true, now());
`

/** Fills an empty database as the first version of the atlas has left it. */
export async function createFirstVersion({ url, folder = '' }: DatabaseOptions): Promise<void> {
  if (url !== undefined) {
    const knex = createKnex({ client: 'pg', connection: url })
    await knex.raw(sql)
    await knex.destroy()
  } else {
    const pglite = await PGlite.create(join(folder, 'postgres'))
    await pglite.exec(sql)
    await pglite.close()
  }
}
