import Fastify, { type FastifyInstance } from 'fastify'
import services, { NotFound, resource } from 'fastify-services'
import authentication, { allow, authenticate, own } from 'fastify-services/authentication'
import { Messages, messageResourceSchema, messageSchema, PagedMessages } from '../messages.js'
import { sixMethods } from '../methods.js'
import { secret, users } from '../users.js'

const fields = ['id', 'createdAt', 'text', 'status']

/** All works as services, among so many others. */
export async function start(others: number): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(services)
  app.service('messages', new Messages((message) => new NotFound(message)) as object)
  app.service('pages', new PagedMessages() as object, { schema: { find: { response: messageSchema } } })
  const checked = resource(messageResourceSchema, { readOnly: ['id', 'createdAt'] } as object)
  app.service('checked', new Messages() as object, { schema: checked })
  app.service('users', users)
  await app.register(authentication, { secret, strategies: { jwt: true } })
  const guard = authenticate('jwt')
  const guards = { guarded: [guard], owned: [guard, own('id')], allowed: [guard, allow({ member: { get: fields } })] }
  // An adapter of Feathers selects by the query itself: `own` and `allow` then read nothing before.
  const adapter = () => Object.assign(new Messages(), { sanitizeQuery: () => ({}) })
  for (const [path, hooks] of Object.entries(guards))
    app.service(path, adapter() as object, { hooks: { around: { all: hooks } } })
  for (let i = 0; i < others; i++) app.service(`others-${i}`, sixMethods())
  return app
}
