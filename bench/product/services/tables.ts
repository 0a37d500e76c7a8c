import { type AnyPgColumn, customType, integer, pgTable, serial, text } from 'drizzle-orm/pg-core'

const id = () => serial().primaryKey()
const parentId = (parent: () => AnyPgColumn) => integer().notNull().references(parent, { onDelete: 'cascade' })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const organisations = pgTable('organisations', { id: id(), name: text().notNull() })
export const users = pgTable('users', {
  id: id(),
  organisationId: parentId(() => organisations.id),
  email: text().notNull().unique(),
  password: text().notNull(),
  role: text({ enum: ['owner', 'member'] }).notNull()
})
export const projects = pgTable('projects', {
  id: id(),
  organisationId: parentId(() => organisations.id),
  name: text().notNull()
})
export const issues = pgTable('issues', {
  id: id(),
  projectId: parentId(() => projects.id),
  authorId: parentId(() => users.id),
  title: text().notNull(),
  state: text({ enum: ['open', 'closed'] })
    .notNull()
    .default('open')
})
export const comments = pgTable('comments', {
  id: id(),
  issueId: parentId(() => issues.id),
  authorId: parentId(() => users.id),
  text: text().notNull()
})
export const files = pgTable('files', {
  id: id(),
  issueId: parentId(() => issues.id),
  name: text().notNull(),
  bytes: bytea().notNull()
})
