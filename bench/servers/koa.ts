import type { Server } from 'node:http'
import { feathers } from '@feathersjs/feathers'
import { bodyParser, koa, rest } from '@feathersjs/koa'
import type { Messages } from '../messages.js'

export async function serve(messages: Messages): Promise<Server> {
  const app = koa(feathers())
  app.use(bodyParser())
  app.configure(rest())
  app.use('messages', messages)
  return app.listen(0, '127.0.0.1')
}
