import type { Server } from 'node:http'
import feathersExpress from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import type { Messages } from '../messages.js'

export async function serve(messages: Messages): Promise<Server> {
  const { default: express, json, rest, urlencoded } = feathersExpress
  const app = express(feathers())
  app.use(json())
  app.use(urlencoded({ extended: true }))
  app.configure(rest())
  app.use('messages', messages)
  return app.listen(0, '127.0.0.1')
}
