import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import type { Test } from 'tap'
import { bundle, openContext } from './chromium.js'
import { toHash } from './stored-password.js'

export const user = { email: 'ada@example.com', password: 'a long secret' }

/** A site: a page with the bundle, services beside it and under /api, login with refresh tokens; and a browser. Closed when the test ends. */
export async function openSite(t: Test) {
  const app = Fastify({ forceCloseConnections: true })
  const script = await bundle('client-page.js')
  await app.register(services)
  const refreshed: unknown[] = []
  app.service('users', memory({ startId: 1 }) as object)
  await app.register(authentication, { secret: 's'.repeat(32), refresh: true })
  app.service('authentication').hooks({
    before: { create: [({ data }) => void (Object(data).strategy === 'refresh' && refreshed.push(data))] }
  })
  app.service('me', { find: async ({ user }) => user }, { hooks: { around: { all: [authenticate('jwt')] } } })
  for (const path of ['messages', 'api/messages']) app.service(path, memory({ startId: 1, multi: true }) as object)
  app.get('/', (_request, reply) => reply.type('text/html').send('<!DOCTYPE html><script src="/bundle.js"></script>'))
  app.get('/bundle.js', (_request, reply) => reply.type('text/javascript').send(script))
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  await app.service('users').create({ ...user, password: toHash(user.password) })
  t.teardown(() => app.close())
  const context = await openContext(t)
  const openPage = async () => {
    const page = await context.newPage()
    await page.goto(address)
    return page
  }
  return { address, openPage, refreshed }
}
