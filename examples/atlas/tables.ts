import { sql } from 'drizzle-orm'
import { boolean, doublePrecision, integer, jsonb, pgSchema, serial, text, timestamp } from 'drizzle-orm/pg-core'
import type { Country } from './countries.js'

// Its own schema keeps the tables apart from others on a server.
const atlas = pgSchema('atlas')

export const countries = atlas.table('countries', {
  cca3: text().primaryKey(),
  cca2: text().notNull(),
  name: text().notNull(),
  official: text().notNull(),
  capital: text().notNull(),
  region: text().notNull(),
  subregion: text().notNull(),
  area: doublePrecision().notNull(),
  landlocked: boolean().notNull(),
  unMember: boolean().notNull(),
  borders: text().array().notNull(),
  latlng: doublePrecision().array().notNull(),
  languages: jsonb().$type<Country['languages']>().notNull(),
  currencies: jsonb().$type<Country['currencies']>().notNull()
})

export const users = atlas.table('users', {
  id: serial().primaryKey(),
  email: text().notNull(),
  name: text().notNull(),
  password: text().notNull()
})

/** A view of the table `notes`, which adds the current name of the author. PostgreSQL writes through it. */
export const notes = atlas.table('notes_with_author', {
  id: serial().primaryKey(),
  code: text().notNull(),
  text: text().notNull(),
  pinned: boolean().notNull(),
  changedAt: timestamp({ withTimezone: true })
    .notNull()
    .$onUpdate(() => new Date()),
  author: integer(),
  authorName: text().generatedAlwaysAs(sql``)
})

/** Values that outlive the process: ended logins, the secret, and whether the demo user was created. */
export const store = atlas.table('store', {
  key: text().primaryKey(),
  value: text().notNull(),
  until: timestamp({ withTimezone: true })
})

/** The statements that create what does not exist yet. */
export const definitions = [
  'create schema if not exists atlas',
  `create table if not exists atlas.countries (
    cca3 text primary key, cca2 text not null, name text not null, official text not null, capital text not null,
    region text not null, subregion text not null, area double precision not null, landlocked boolean not null,
    "unMember" boolean not null, borders text[] not null, latlng double precision[] not null,
    languages jsonb not null, currencies jsonb not null)`,
  `create table if not exists atlas.users (
    id serial primary key, email text not null unique, name text not null, password text not null)`,
  `create table if not exists atlas.notes (
    id serial primary key, code text not null references atlas.countries, text text not null,
    pinned boolean not null default false, "changedAt" timestamptz not null,
    author integer references atlas.users on delete set null)`,
  'create index if not exists notes_code_index on atlas.notes (code)',
  'create index if not exists notes_author_index on atlas.notes (author)',
  `create or replace view atlas.notes_with_author as
    select *, (select name from atlas.users where users.id = author) as "authorName" from atlas.notes`,
  'create table if not exists atlas.store (key text primary key, value text not null, until timestamptz)'
]
