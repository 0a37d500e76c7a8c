import { feathers, type HookContext } from '@feathersjs/feathers'
import type { FastifyInstance } from 'fastify'
import mounted from 'fastify-services/feathers'
import { createEcho, methods } from './services.js'

/** A service of a Feathers application that is mounted. */
export async function registerMounted(app: FastifyInstance): Promise<void> {
  const theirs = feathers<Record<string, ReturnType<typeof createEcho>>>()
  theirs.use('mounted/:room/things', createEcho() as never, { methods })
  theirs.service('mounted/:room/things').hooks({
    after: {
      all: [
        async (context: HookContext) => {
          context.http = { headers: { 'x-hook': context.method } }
        }
      ]
    }
  })
  await app.register(mounted, { app: theirs })
}
