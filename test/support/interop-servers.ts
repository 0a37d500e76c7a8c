import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import feathersExpress from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { bodyParser, koa, errorHandler as koaErrors, rest as koaRest } from '@feathersjs/koa'
import Fastify from 'fastify'
import services, { frameworkErrors } from 'fastify-services'
import mounted from 'fastify-services/feathers'
import type { Test } from 'tap'
import { answer, methods, Pages, Reader, Things } from './interop-service.js'

const hooks = { after: { get: [answer] } }

/** The services on this library. */
async function ours(t: Test): Promise<string> {
  const app = Fastify({ forceCloseConnections: true, frameworkErrors })
  t.teardown(() => app.close())
  await app.register(services, { notFound: true, errorHandler: { logger: false } })
  app.service('things', new Things(), { methods, hooks })
  app.service('users/:userId/things', new Things())
  app.service('reader', new Reader())
  app.service('pages', new Pages())
  return await app.listen({ port: 0, host: '127.0.0.1' })
}

/** The services on a Feathers application that is mounted. */
async function onMounted(t: Test): Promise<string> {
  const theirs = feathers()
  mount(theirs as unknown as FeathersApp)
  const app = Fastify({ forceCloseConnections: true, frameworkErrors })
  t.teardown(() => app.close())
  await app.register(services, { notFound: true, errorHandler: { logger: false } })
  await app.register(mounted, { app: theirs })
  return await app.listen({ port: 0, host: '127.0.0.1' })
}

interface FeathersApp {
  use(path: string, service: object, options?: object): unknown
  service(path: string): { hooks(hooks: object): unknown }
}

function mount(app: FeathersApp): void {
  app.use('things', new Things(), { methods: [...methods] })
  app.use('users/:userId/things', new Things())
  app.use('reader', new Reader())
  app.use('pages', new Pages())
  app.service('things').hooks(hooks)
}

/** The services on `@feathersjs/koa`, set up as its documentation sets it up. */
async function onKoa(t: Test): Promise<string> {
  const app = koa(feathers())
  app.silent = true
  app.use(koaErrors())
  app.use(bodyParser())
  app.configure(koaRest())
  mount(app as unknown as FeathersApp)
  return await address(t, await app.listen(0, '127.0.0.1'))
}

/** The services on `@feathersjs/express`, set up as its documentation sets it up. */
async function onExpress(t: Test): Promise<string> {
  const { default: express, errorHandler, json, notFound, rest, urlencoded } = feathersExpress
  const app = express(feathers())
  app.use(json())
  app.use(urlencoded({ extended: true }))
  app.configure(rest())
  mount(app as unknown as FeathersApp)
  app.use(notFound())
  app.use(errorHandler({ logger: false } as object))
  return await address(t, await app.listen(0, '127.0.0.1'))
}

async function address(t: Test, server: Server): Promise<string> {
  t.teardown(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  })
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Servers by name: each starts the same services, answers its address, and is closed when the test ends. */
export const servers = {
  'fastify-services': ours,
  'fastify-services/feathers': onMounted,
  '@feathersjs/koa': onKoa,
  '@feathersjs/express': onExpress
} as const
