import { drizzle as connect } from 'drizzle-orm/node-postgres'
import { bigint, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import Fastify from 'fastify'
import services, { type Paged, resource, type ServiceOf, type Unpaged } from 'fastify-services'
import { type ApiKeys, apiKeys } from 'fastify-services/accounts'
import { drizzle } from 'fastify-services/drizzle'
import { kysely } from 'fastify-services/kysely'
import type { Generated, Insertable, Kysely } from 'kysely'
import Type from 'typebox'

const id = integer().primaryKey().generatedAlwaysAsIdentity()
const visits = pgTable('visits', {
  id,
  clinicId: integer().notNull(),
  at: timestamp({ withTimezone: true }).notNull(),
  size: bigint({ mode: 'bigint' })
})
const keys = pgTable('api_keys', {
  id,
  userId: integer().notNull(),
  name: text().notNull(),
  hash: text().notNull(),
  start: text().notNull(),
  createdAt: timestamp({ withTimezone: true }).notNull(),
  expiresAt: timestamp({ withTimezone: true })
})
const documents = pgTable('documents', { id, name: text().notNull(), type: text().notNull() })
interface Tables {
  visits: { id: Generated<number>; clinicId: number; at: Date }
  keys: {
    id: Generated<number>
    userId: number
    name: string
    hash: string
    start: string
    createdAt: Date
    expiresAt: Date | null
  }
  documents: { id: Generated<number>; name: string; type: string }
}
const visit = resource(
  Type.Object({ id: Type.Integer(), clinicId: Type.Integer(), at: Type.String({ format: 'date-time' }) }),
  { readOnly: ['id', 'clinicId'] }
)
const document = resource(Type.Object({ id: Type.Integer(), name: Type.String(), type: Type.String() }), {
  readOnly: ['id', 'name', 'type'],
  create: Type.Object({ content: Type.String() })
})
declare module 'fastify-services' {
  interface Services {
    'table-visits': Paged<ServiceOf<typeof visit>>
    'table-documents': Paged<ServiceOf<typeof document>>
    'table-keys': Unpaged<ApiKeys>
    'table-pages-of-keys': Paged<ApiKeys>
  }
}
const app = Fastify()
await app.register(services)
const db = connect('postgres://localhost')
declare const tables: Kysely<Tables>

// Clients send dates as texts, and `clinicId` comes from a hook.
app.service('table-visits', drizzle(db, visits), { schema: visit })
app.service('table-visits', kysely(tables, 'visits'), { schema: visit })
app.service('unlisted-visits', drizzle(db, visits), { schema: visit })
// A hook turns the body into columns.
app.service('table-documents', drizzle(db, documents), { schema: document })
app.service('table-documents', kysely(tables, 'documents'), { schema: document })
app.service('unlisted-documents', drizzle(db, documents), { schema: document })
// A hook adds the key to the result of `create`, which no column has.
app.service('table-keys', drizzle(db, keys), apiKeys())
app.service('table-pages-of-keys', drizzle(db, keys), apiKeys())
app.service('table-keys', kysely(tables, 'keys'), apiKeys())
// @ts-expect-error: a table without keys
app.service('table-keys', drizzle(db, visits), apiKeys())

// The server writes what the database has, or what clients send.
const stored = drizzle(db, visits)
await stored.create({ clinicId: 1, at: new Date(), size: 1n })
await stored.patch(1, { at: '2030-01-31T12:00:00Z', size: '1' })
// @ts-expect-error: `clinicID` is misspelt
await stored.create({ clinicID: 1 })
// @ts-expect-error: a number is no date
await stored.patch(1, { at: 1 })
const row: Insertable<Tables['visits']> = { clinicId: 1, at: new Date() }
await kysely(tables, 'visits').create(row)
