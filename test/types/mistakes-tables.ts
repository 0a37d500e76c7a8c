/* The usual mistakes with a table and its type in `Services`, as in `mistakes-resource.ts`. The second line ends with the column or the method. */
import { drizzle as connect } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import Fastify from 'fastify'
import services, { type Id, type Paged, type Params, resource, type ServiceOf, type Unpaged } from 'fastify-services'
import { type ApiKeys, apiKeys } from 'fastify-services/accounts'
import { DrizzleService, drizzle } from 'fastify-services/drizzle'
import { kysely } from 'fastify-services/kysely'
import type { Generated, Kysely } from 'kysely'
import Type from 'typebox'

const db = connect('postgres://localhost')
const id = integer().primaryKey().generatedAlwaysAsIdentity()
const at = timestamp({ withTimezone: true }).notNull()
const visits = pgTable('visits', { id, clinicId: integer().notNull(), at, note: text() })
const other = pgTable('visits', { id, clinicId: text().notNull(), at, note: text() })
const small = pgTable('visits', { id, at, note: text() })
const Visit = Type.Object({
  id: Type.Integer(),
  clinicId: Type.Integer(),
  at: Type.String({ format: 'date-time' }),
  note: Type.Union([Type.String(), Type.Null()])
})
const schema = resource(Visit, { readOnly: ['id', 'clinicId'], methods: { end: { route: 'POST /:id/end' } } })
interface Visits extends Paged<ServiceOf<typeof schema>> {}
declare const tables: Kysely<{
  visits: { id: Generated<number>; clinicId: number; at: Date; note: string | null }
  others: { id: Generated<number>; clinicId: number; at: Date; note: number | null }
}>
const plain = resource(Visit, { readOnly: ['id', 'clinicId'] })
interface PlainVisits extends Paged<ServiceOf<typeof plain>> {}

declare module 'fastify-services' {
  interface Services {
    visits: Visits
    'plain-visits': PlainVisits
    'api-keys': Unpaged<ApiKeys>
  }
}

class VisitService extends DrizzleService<typeof visits> {
  async end(id: Id, _data: unknown, params?: Params) {
    return this.patch(id, { at: new Date() }, params)
  }
}
const app = Fastify()
await app.register(services)

// 1. A column of another type.
app.service('plain-visits', drizzle(db, visits), { schema: plain })
// @ts-expect-error: Argument of type 'DrizzleRecords<{…}>' is not assignable to parameter of type 'WrongColumn<"clinicId", string, number> & DrizzleRecords<…'.
app.service('plain-visits', drizzle(db, other), { schema: plain })

// 2. A column that the table lacks.
// @ts-expect-error: Argument of type 'DrizzleRecords<{…}>' is not assignable to parameter of type 'MissingColumn<"clinicId"> & DrizzleRecords<…'.
app.service('plain-visits', drizzle(db, small), { schema: plain })

// 3. A custom method that the service lacks.
app.service('visits', new VisitService(db, visits), { schema })
// @ts-expect-error: Argument of type 'DrizzleRecords<{…}>' is not assignable to parameter of type 'MissingMethod<"end"> & DrizzleRecords<…'.
app.service('visits', drizzle(db, visits), { schema })

// 4. A table of other records.
// @ts-expect-error: Argument of type 'DrizzleRecords<{…}>' is not assignable to parameter of type 'MissingColumn<…"createdAt"…> & DrizzleRecords<…'.
app.service('api-keys', drizzle(db, visits), apiKeys())

// 5. A column of another type, through Kysely.
app.service('plain-visits', kysely(tables, 'visits'), { schema: plain })
// @ts-expect-error: Argument of type 'KyselyService<{…}, "others">' is not assignable to parameter of type 'WrongColumn<"note", number | null, string | null> & KyselyService<…'.
app.service('plain-visits', kysely(tables, 'others'), { schema: plain })

// 6. A custom method that the service lacks, through Kysely.
// @ts-expect-error: Argument of type 'KyselyService<{…}, "visits">' is not assignable to parameter of type 'MissingMethod<"end"> & KyselyService<…'.
app.service('visits', kysely(tables, 'visits'), { schema })
