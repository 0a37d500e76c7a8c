import { register } from 'node:module'

// Started as a process of its own, in which the optional peers are not installed.
const hooks = `export async function resolve(specifier, context, next) {
  if (!/^close-with-grace$|^@fastify\\/(rate-limit|under-pressure)$/.test(specifier)) return next(specifier, context)
  throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: 'ERR_MODULE_NOT_FOUND' })
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

const { default: Fastify } = await import('fastify')
const { default: production } = await import('fastify-services/production')

const needs = { maxEventLoopDelay: false, rateLimit: false, shutdownDelay: false } as const

async function start(left?: keyof typeof needs): Promise<unknown> {
  const { [left ?? 'rateLimit']: _, ...options } = needs
  const app = Fastify()
  try {
    await app.register(production, left === undefined ? needs : options)
    return 'started'
  } catch (error) {
    const { message, cause } = error as Error
    return [message, (cause as Error | undefined)?.message]
  }
}

console.log(
  JSON.stringify({
    none: await start(),
    pressure: await start('maxEventLoopDelay'),
    limit: await start('rateLimit'),
    shutdown: await start('shutdownDelay')
  })
)
