import { withTimeout } from '../core/async.js'
import type { AnyMethod } from '../core/facade.js'

type AccessRule = (name: string | symbol) => boolean

/**
 * Wraps an object that a function is called with, to see what the function does with it. Anything
 * but allowed reads and writes is recorded and throws.
 */
export function createTrap(
  target: object,
  isAllowed: AccessRule,
  isWritable = isAllowed
): { trap: object; isTouched(): boolean } {
  let wasTouched = false
  const stop = () => {
    wasTouched = true
    throw new Error('fastify-services/feathers asks what this middleware does with a request')
  }
  const trap = new Proxy(target, {
    get: (object, name) => (isAllowed(name) ? Reflect.get(object, name) : stop()),
    set: (object, name, value) => (isWritable(name) ? Reflect.set(object, name, value) : stop()),
    has: stop,
    ownKeys: stop,
    getPrototypeOf: stop
  })
  return { trap, isTouched: () => wasTouched }
}

/** Returns whether a promise is fulfilled within a second. */
export const isFulfilled = (promise: Promise<unknown>): Promise<boolean> =>
  withTimeout(1000, promise).then(
    () => true,
    () => false
  )

/**
 * Returns whether middleware of Koa does what `allowedMethods()` of a router does: nothing before
 * the next middleware is done, and then it looks only at the routes that matched the request. It is
 * called once, with a request that no client has sent. A guard reads the request first, so it is
 * stopped there.
 */
export async function isAllowedMethods(middleware: unknown): Promise<boolean> {
  const unmatched = { matched: [], method: 'GET', status: 404 }
  let isNextDone = false
  let readsMatched = false
  const isRead = (name: string | symbol) => {
    readsMatched ||= name === 'matched'
    return isNextDone && Object.hasOwn(unmatched, name)
  }
  const { trap, isTouched } = createTrap(unmatched, isRead, () => false)
  const next = async () => {
    isNextDone = true
  }
  const isOver = await isFulfilled((async () => (middleware as AnyMethod)(trap, next))())
  return isOver && readsMatched && !isTouched()
}
