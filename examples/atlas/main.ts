import { createServer } from 'node:net'
import { createApp } from './app.js'
import { openDatabase } from './database.js'
import { hasDemo } from './demo.js'
import { StartError } from './start-error.js'
import { startMessage } from './start-message.js'

const { ATLAS_DATA: folder, DATABASE_URL: url, AUTH_SECRET: secret, LOG_LEVEL, HOST, PORT } = process.env
const host = HOST || '127.0.0.1'

try {
  const port = await toPort(PORT || '3030')
  const database = await openDatabase({ url, folder })
  const app = await createApp(database, { secret, logger: { level: LOG_LEVEL || 'warn' } }).catch(async (error) => {
    await database.close()
    throw error
  })
  await app.ready()
  const withDemo = await hasDemo(app)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.close())
  const address = await app.listen({ host, port })
  console.log(startMessage(address, withDemo))
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.error(`The atlas can't start. ${error.message}`)
  // Not by `exitCode` alone: the driver leaves the connection of some log-ins that fail open.
  process.exit(1)
}

/** Asks for the port before the database is opened: the one that has it may have the data folder too. */
async function toPort(value: string): Promise<number> {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (!(port < 65536)) throw new StartError(`PORT is a number from 0 to 65535, not '${value}'`)
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(port, host, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new StartError(`Port ${port} is taken: choose another one, as in PORT=${port + 1} npm start`)
    throw new StartError(`Can't listen on port ${port} of ${host}`, error)
  })
  await new Promise((resolve) => probe.close(resolve))
  return port
}
