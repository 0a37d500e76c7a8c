import type { Server } from 'node:http'
import { feathers } from '@feathersjs/feathers'
import Fastify from 'fastify'
import services from 'fastify-services'
import mounted from 'fastify-services/feathers'
import { Messages } from '../messages.js'

/** A Feathers application that is mounted: over HTTP, or calls inside, by the one application or by the other. */
export async function start(kind: string | undefined): Promise<Server | (() => Promise<unknown>)> {
  const theirs = feathers<{ messages: Messages }>()
  theirs.use('messages', new Messages())
  const app = Fastify()
  await app.register(services)
  await app.register(mounted, { app: theirs })
  await app.listen({ host: '127.0.0.1', port: 0 })
  if (kind === 'ours') return () => app.service<Messages>('messages').get('500')
  if (kind === 'theirs') return () => theirs.service('messages').get('500')
  return app.server
}
