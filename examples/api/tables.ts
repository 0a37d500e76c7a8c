import { index, integer, pgTable, serial, text, timestamp } from 'drizzle-orm/pg-core'

// After a change, run `npx drizzle-kit generate`: it writes the migration into the folder `drizzle`.

const id = () => serial().primaryKey()

export const organisations = pgTable('organisations', { id: id(), name: text().notNull() })

const organisationId = () =>
  integer()
    .notNull()
    .references(() => organisations.id, { onDelete: 'cascade' })

export const users = pgTable('users', {
  id: id(),
  organisationId: organisationId(),
  email: text().notNull().unique(),
  name: text().notNull(),
  role: text({ enum: ['owner', 'member'] }).notNull(),
  password: text().notNull()
})

export const projects = pgTable('projects', { id: id(), organisationId: organisationId(), name: text().notNull() })

export const issues = pgTable(
  'issues',
  {
    id: id(),
    projectId: integer()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    authorId: integer().references(() => users.id, { onDelete: 'set null' }),
    title: text().notNull(),
    text: text().notNull().default(''),
    state: text({ enum: ['open', 'closed'] })
      .notNull()
      .default('open'),
    createdAt: timestamp({ withTimezone: true }).notNull().defaultNow()
  },
  ({ projectId }) => [index().on(projectId)]
)
