import { PGlite } from '@electric-sql/pglite'
import { boolean, customType, integer, pgTable, serial, text, timestamp } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'

export const organisations = pgTable('organisations', { id: serial().primaryKey(), name: text().notNull() })
const organisationId = () =>
  integer()
    .notNull()
    .references(() => organisations.id, { onDelete: 'cascade' })

// The four tables of Better Auth, as its command line generates them.
const createdAt = () => timestamp().notNull().defaultNow()
const userId = () =>
  text()
    .notNull()
    .references(() => user.id, { onDelete: 'cascade' })
export const user = pgTable('user', {
  id: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull().unique(),
  emailVerified: boolean().notNull().default(false),
  image: text(),
  createdAt: createdAt(),
  updatedAt: createdAt(),
  role: text({ enum: ['owner', 'member'] }).notNull(),
  banned: boolean(),
  banReason: text(),
  banExpires: timestamp(),
  organisationId: organisationId()
})
export const session = pgTable('session', {
  id: text().primaryKey(),
  expiresAt: timestamp().notNull(),
  token: text().notNull().unique(),
  createdAt: createdAt(),
  updatedAt: createdAt(),
  ipAddress: text(),
  userAgent: text(),
  userId: userId(),
  impersonatedBy: text()
})
export const account = pgTable('account', {
  id: text().primaryKey(),
  accountId: text().notNull(),
  providerId: text().notNull(),
  userId: userId(),
  accessToken: text(),
  refreshToken: text(),
  idToken: text(),
  accessTokenExpiresAt: timestamp(),
  refreshTokenExpiresAt: timestamp(),
  scope: text(),
  password: text(),
  createdAt: createdAt(),
  updatedAt: createdAt()
})
export const verification = pgTable('verification', {
  id: text().primaryKey(),
  identifier: text().notNull(),
  value: text().notNull(),
  expiresAt: timestamp().notNull(),
  createdAt: createdAt(),
  updatedAt: createdAt()
})

export const projects = pgTable('projects', {
  id: serial().primaryKey(),
  organisationId: organisationId(),
  name: text().notNull()
})
export const issues = pgTable('issues', {
  id: serial().primaryKey(),
  projectId: integer()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' }),
  authorId: userId(),
  title: text().notNull(),
  state: text({ enum: ['open', 'closed'] })
    .notNull()
    .default('open')
})
const issueId = () =>
  integer()
    .notNull()
    .references(() => issues.id, { onDelete: 'cascade' })
export const comments = pgTable('comments', {
  id: serial().primaryKey(),
  issueId: issueId(),
  authorId: userId(),
  text: text().notNull()
})
const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })
export const files = pgTable('files', {
  id: serial().primaryKey(),
  issueId: issueId(),
  name: text().notNull(),
  bytes: bytea().notNull()
})

const schema = { organisations, user, session, account, verification, projects, issues, comments, files }
export const database = drizzle(new PGlite(process.env.DATA_FOLDER), { schema })
export const openDatabase = () => migrate(database, { migrationsFolder: 'drizzle' })
