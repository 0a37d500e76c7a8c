import { createServer } from 'node:net'
import { createApp } from './app.js'
import { openDatabase } from './database.js'
import { hasDemo } from './demo.js'
import { connectRedis } from './redis.js'
import { readSettings } from './settings.js'
import { StartError } from './start-error.js'
import { startMessage } from './start-message.js'
import { stopOnSignals } from './stop.js'

try {
  const { host, port, folder, url, redisUrl, databaseTimeout, shutdownTimeout, ...options } = readSettings(process.env)
  await checkPort(host, port)
  const redis = redisUrl ? await connectRedis(redisUrl) : undefined
  const database = await openDatabase({ url, folder, timeout: databaseTimeout })
  const app = await createApp(database, { ...options, redis, writesNotes: true }).catch(async (error) => {
    await database.close()
    throw error
  })
  await app.ready()
  const withDemo = await hasDemo(app)
  stopOnSignals(app, shutdownTimeout)
  const address = await app.listen({ host, port })
  console.log(startMessage(address, withDemo))
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.error(`The atlas can't start. ${error.message}`)
  // Not by `exitCode` alone: the driver leaves the connection of some log-ins that fail open.
  process.exit(1)
}

/** Asks for the port before the database is opened: the one that has it may have the data folder too. */
async function checkPort(host: string, port: number): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(port, host, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new StartError(`Port ${port} is taken: choose another one, as in PORT=${port + 1} npm start`)
    throw new StartError(`Can't listen on port ${port} of ${host}`, error)
  })
  await new Promise((resolve) => probe.close(resolve))
}
