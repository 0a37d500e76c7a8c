import type { Server } from 'node:http'
import feathersExpress from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { Messages } from '../messages.js'

export async function start(): Promise<Server> {
  const { default: express, json, rest, urlencoded } = feathersExpress
  const app = express(feathers())
  app.use(json())
  app.use(urlencoded({ extended: true }))
  app.configure(rest())
  app.use('messages', new Messages())
  return app.listen(0, '127.0.0.1')
}
