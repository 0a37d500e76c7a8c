import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'

export const db = drizzle(process.env.DATA_FOLDER ?? 'data')
export const closeDatabase = () => db.$client.close()

await migrate(db, { migrationsFolder: 'drizzle' })
