import { hidePackage } from './missing-package.js'

// Started as a process of its own, in which the optional peer is not installed.
hidePackage('bcryptjs')

const { default: Fastify } = await import('fastify')
const { default: services } = await import('fastify-services')
const { default: authentication } = await import('fastify-services/authentication')

async function start(bcrypt: boolean | { compare(): Promise<boolean> }): Promise<unknown> {
  const app = Fastify()
  await app.register(services)
  app.service('users', { find: async () => [], get: async () => null })
  await app.register(authentication, {
    secret: 'a secret of 32 bytes for the tests',
    strategies: { local: { bcrypt } }
  })
  try {
    await app.ready()
    return 'started'
  } catch (error) {
    const { message, cause } = error as Error
    return { message, cause: (cause as Error | undefined)?.message }
  } finally {
    await app.close()
  }
}

console.log(
  JSON.stringify({
    wanted: await start(true),
    handedIn: await start({ compare: async () => false }),
    not: await start(false)
  })
)
