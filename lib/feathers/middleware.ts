import type { FastifyInstance } from 'fastify'
import { broughtTo, stackOf } from './frameworks.js'
import { isOAuth, type Mounted, optionsOf } from './mounted.js'

/** The instance that it is mounted on. */
type Host = Pick<FastifyInstance, 'log' | 'hasPlugin'>

/**
 * Looks for the middleware of an application, which does not run on Fastify. What its framework brings is replaced here, or logged.
 * @throws when there is other middleware: it may be what guards the application
 */
export async function checkMiddleware(application: Mounted, host: Host): Promise<void> {
  const stack = stackOf(application)
  const { missed: brought, unknown } = stack.length === 0 ? nothing : await sort(application, stack)
  const missed = brought.filter((plugin) => !host.hasPlugin(plugin))
  const ofServices = Object.entries(application.services).flatMap(([path, service]) => {
    if (isOAuth(service)) return []
    const { koa, express } = optionsOf(service)
    const around = [koa?.before, koa?.after, express?.before, express?.after].flatMap((list) => list ?? [])
    return around.map((one) => `${nameOf(one)} of the service '${path}'`)
  })
  const names = [...unknown.map(nameOf), ...ofServices]
  if (names.length > 0)
    throw new Error(
      `The Feathers application has middleware, which does not run on Fastify: ${names.join(', ')}. Make hooks of Fastify or of services of it, then set the option \`ignoreMiddleware\``
    )
  if (missed.length > 0)
    host.log.warn(
      `The Feathers application has middleware that does not run on Fastify. Use ${missed.join(' and ')} instead`
    )
}

const nothing: { missed: string[]; unknown: unknown[] } = { missed: [], unknown: [] }

async function sort(application: Mounted, stack: readonly unknown[]) {
  const brought = await broughtTo(application)
  const texts = brought.replaced.map(String)
  const plugins = new Map(brought.missed.map(([one, plugin]) => [String(one), plugin]))
  const seen = new Map<string, number>()
  const missed = new Set<string>()
  const unknown = stack.filter((one) => {
    const text = String(one)
    const plugin = plugins.get(text)
    if (plugin !== undefined) missed.add(plugin)
    const count = (seen.get(text) ?? 0) + 1
    seen.set(text, count)
    const own = texts.filter((other) => other === text).length
    // Where several functions have one text, further ones may be other functions: a guard of Express for example.
    return plugin === undefined && (own === 0 || (own > 1 && count > own))
  })
  return { missed: [...missed], unknown }
}

/** The name of a function, or the beginning of its code. */
function nameOf(middleware: unknown): string {
  const { name } = Object(middleware)
  return name || `\`${String(middleware).replace(/\s+/g, ' ').slice(0, 60)}…\``
}
