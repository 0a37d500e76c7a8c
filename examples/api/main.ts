import { randomBytes } from 'node:crypto'
import { createApp } from './app.js'
import { openDatabase } from './database.js'

const { AUTH_SECRET, DATABASE_URL, DATA_FOLDER = 'data', HOST = 'localhost', NODE_ENV, PORT = '3030' } = process.env
const isProduction = NODE_ENV === 'production'
const ignore = 'pid,hostname,reqId,req.host,req.remoteAddress,req.remotePort'
const pretty = { target: 'pino-pretty', options: { singleLine: true, ignore } }

const database = await openDatabase({ url: DATABASE_URL, folder: DATA_FOLDER })
const app = await createApp({
  database,
  // Without it the log-ins end with the process, which production refuses.
  secret: AUTH_SECRET ?? (isProduction ? undefined : randomBytes(64)),
  logger: { level: process.env.LOG_LEVEL ?? 'info', ...(!isProduction && { transport: pretty }) },
  hasExplorer: !isProduction
})
const address = await app.listen({ port: Number(PORT), host: HOST })
console.log(`Try ${address}${isProduction ? '/health' : '/explorer'}`)
