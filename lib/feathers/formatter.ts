import { withTimeout } from '../core/async.js'
import type { AnyMethod } from '../core/facade.js'
import { type MountedApplication, optionsSymbol, serviceOptions } from './mounted.js'

/** The formatter of `rest(formatter)`, as messages and the option `ignoreMiddleware` name it. */
export const restFormatter = { handle: { name: 'rest(formatter)' }, name: 'rest(formatter)' }

/**
 * Returns whether a formatter of the application, `rest(formatter)`, makes the answers of a service.
 * It does not run on Fastify and may hide fields.
 *
 * Koa and Express don't expose a formatter. So it is called once, with a request that no client has
 * sent: the default formatter reads nothing (Koa), or sends the result as JSON and reads nothing
 * else (Express). Any other is stopped at its first step.
 */
export async function hasFormatter(application: MountedApplication): Promise<boolean> {
  for (const service of Object.values(application.services)) {
    const { koa, express } = serviceOptions(service)
    const hasMiddleware = [koa?.before, koa?.after, express?.before, express?.after].flat().some(Boolean)
    // A service with its own middleware is refused or forwarded anyway, and the call would run that
    // middleware.
    if (hasMiddleware) continue
    if (koa?.composed && (await isFormattedByKoa(koa.composed))) return true
    if (express?.composed && isFormattedByExpress(express.composed)) return true
  }
  return false
}

const never = () => false

async function isFormattedByKoa(composed: AnyMethod): Promise<boolean> {
  const find = Object.assign(async () => ({ http: {}, result: {}, dispatch: undefined }), {
    createContext: (data: object) => data
  })
  const service = { find, [optionsSymbol]: { methods: ['find'] } }
  const request = { query: {}, headers: {}, path: '/', body: undefined, method: 'GET' }
  const context = { request, response: {}, lookup: { service, params: {} }, feathers: {}, set() {} }
  // The service is done when its result is the body.
  const { trap, isTouched } = createTrap(context, () => !('body' in context))
  let isNextCalled = false
  const next = async () => {
    isNextCalled = true
  }
  const isOver = await withTimeout(1000, composed(trap, next)).then(
    () => true,
    () => false
  )
  return !isOver || !('body' in context) || isTouched() || isNextCalled
}

function isFormattedByExpress(composed: AnyMethod): boolean {
  const [request, data] = [createTrap({}, never), createTrap({}, never)]
  const sent: unknown[] = []
  const format = (types: object) => {
    for (const [type, send] of Object.entries(types)) {
      sent.push(type)
      send()
    }
  }
  const members = { data: data.trap, format, json: (value: unknown) => void sent.push(value) }
  const response = createTrap(members, (name) => name in members)
  let isNextCalled = false
  try {
    // The composed chain is a router of Express.
    const { stack } = composed as unknown as { readonly stack: readonly { readonly handle: AnyMethod }[] }
    stack.at(-1)?.handle(request.trap, response.trap, () => {
      isNextCalled = true
    })
  } catch {
    return true
  }
  const isDefault = sent.length === 2 && sent[0] === 'application/json' && sent[1] === data.trap
  return !isDefault || isNextCalled || [request, data, response].some(({ isTouched }) => isTouched())
}

/**
 * Wraps an object that a function is called with, to see what the function does with it. Anything
 * but allowed reads and writes is recorded and throws.
 */
function createTrap(
  target: object,
  isAllowed: (name: string | symbol) => boolean
): { trap: object; isTouched(): boolean } {
  let wasTouched = false
  const stop = () => {
    wasTouched = true
    throw new Error('fastify-services/feathers asks what this middleware does with a request')
  }
  const trap = new Proxy(target, {
    get: (object, name) => (isAllowed(name) ? Reflect.get(object, name) : stop()),
    set: (object, name, value) => (isAllowed(name) ? Reflect.set(object, name, value) : stop()),
    has: stop,
    ownKeys: stop,
    getPrototypeOf: stop
  })
  return { trap, isTouched: () => wasTouched }
}
