import { createApp } from './app.js'
import { openDatabase } from './database.js'
import { hasDemo } from './demo.js'
import { connectRedis } from './redis.js'
import { readSettings } from './settings.js'
import { startMessage } from './start-message.js'

try {
  const { host, port, folder, url, redisUrl, databaseTimeout, ...options } = readSettings(process.env)
  const redis = redisUrl ? await connectRedis(redisUrl) : undefined
  const database = await openDatabase({ url, folder, timeout: databaseTimeout })
  const app = await createApp(database, { ...options, redis, writesNotes: true }).catch(async (error) => {
    await database.close()
    throw error
  })
  const address = await app.listen({ host, port }).catch(async (error) => {
    await app.close()
    throw error
  })
  console.log(startMessage(address, await hasDemo(app)))
} catch (error) {
  console.error(`The atlas can't start: ${reasonOf(error)}`)
  // The driver leaves the connections of some failed logins open.
  process.exit(1)
}

/** Returns the message of the driver. That of Drizzle has the whole statement. */
function reasonOf(error: unknown): string {
  const { cause, message, code } = Object(error) as NodeJS.ErrnoException
  return cause instanceof Error ? reasonOf(cause) : message || code || String(error)
}
