import { hidePackage } from './missing-package.js'

// Started as a process of its own, in which the optional peer is not installed.
hidePackage('jose')

const { default: Fastify } = await import('fastify')
const { default: services } = await import('fastify-services')
const { default: authentication, JwksStrategy } = await import('fastify-services/authentication')

const app = Fastify()
await app.register(services)
const jwks = new JwksStrategy({ issuer: 'https://issuer.example', audience: 'api' })
await app.register(authentication, { strategies: { jwks }, entity: null })
try {
  await app.ready()
} catch (error) {
  console.log((error as Error).message)
}
