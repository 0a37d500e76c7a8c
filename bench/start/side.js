// One side of npm run bench:start, in a process of its own: what the start of so many services takes.
import Fastify from 'fastify'
import { sixMethods } from '../../dist/bench/methods.js'

const text = { type: 'string' }
const record = {
  type: 'object',
  properties: { id: text, createdAt: { type: 'integer' }, text, status: text },
  required: ['id', 'createdAt', 'text', 'status']
}

const six = [
  ['GET', ''],
  ['GET', '/:id'],
  ['POST', ''],
  ['PUT', '/:id'],
  ['PATCH', '/:id'],
  ['DELETE', '/:id']
]
// A service may also change many records at once, and Fastify adds HEAD to each GET: twelve in all.
const many = [
  ['PUT', ''],
  ['PATCH', ''],
  ['DELETE', ''],
  ['OPTIONS', '']
]

/** Registers routes by hand, those of a service in a plugin of their own. */
const byHand = (routes) => async (app, count) => {
  for (let index = 0; index < count; index++)
    app.register(
      async (plugin) => {
        const service = sixMethods()
        // Without it, so many plugins overflow the stack.
        plugin.addHook('onReady', async () => {})
        for (const [method, url] of routes) plugin.route({ method, url, handler: async () => service.find() })
      },
      { prefix: `/many-${index}` }
    )
}

const withServices = (options) => async (app, count) => {
  const { default: services, resource } = await import('fastify-services')
  await app.register(services)
  for (let index = 0; index < count; index++) app.service(`many-${index}`, sixMethods(), options(resource))
}

/** What registers services, by the names of the sides. */
export const sides = {
  'by hand, six routes and two of HEAD': byHand(six),
  'by hand, the twelve routes of a service': byHand([...six, ...many]),
  services: withServices(() => ({})),
  'services with `resource()`': withServices((resource) => ({
    schema: resource(structuredClone(record), { readOnly: ['id', 'createdAt'] })
  }))
}

const [, , name, count] = process.argv
if (process.send !== undefined) {
  const heapUsed = () => {
    globalThis.gc()
    return process.memoryUsage().heapUsed
  }
  const cpu = () => {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  // The modules of a side are not its start.
  if (name.startsWith('services')) await import('fastify-services')
  const before = { cpu: cpu(), heap: heapUsed() }
  const app = Fastify()
  await sides[name](app, Number(count))
  await app.ready()
  process.send({ cpu: cpu() - before.cpu, heap: heapUsed() - before.heap })
  process.disconnect()
}
