import type { Server } from 'node:http'
import { feathers } from '@feathersjs/feathers'
import { bodyParser, koa, rest } from '@feathersjs/koa'
import { Messages } from '../messages.js'

export async function start(): Promise<Server> {
  const app = koa(feathers())
  app.use(bodyParser())
  app.configure(rest())
  app.use('messages', new Messages())
  return app.listen(0, '127.0.0.1')
}
