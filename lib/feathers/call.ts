import type { HookContext } from '../../types/hooks.js'
import type { Interceptor } from '../core/compose.js'
import { outerContext } from '../core/http-call.js'
import type { Context, FeathersService, Method } from './mounted.js'

/** Is notified of a context whose result or `dispatch` was set. */
export type Notify = (context: HookContext) => void

/** A context of theirs, with ours. */
interface Inner extends Context {
  [outerContext]: { readonly context: HookContext; readonly notify: Notify }
}
type InnerClass = new (data: object) => Inner

/**
 * Reads and writes a member of our context: a stream that one of their hooks replaces must be
 * closed, too.
 */
const through = (name: 'result' | 'dispatch'): PropertyDescriptor & ThisType<Inner> => ({
  configurable: true,
  enumerable: true,
  get() {
    return this[outerContext].context[name]
  },
  set(value) {
    const { context, notify } = this[outerContext]
    context[name] = value
    notify(context)
  }
})
const dispatch = through('dispatch')
const result = through('result')

// Feathers calls the method unless the context has a result of its own, so that it comes with the
// first that is set.
const firstResult: PropertyDescriptor & ThisType<Inner> = {
  set(value) {
    Object.defineProperty(this, 'result', result)
    this.result = value
  }
}

/** Makes the class of contexts of a method. */
function classOf(method: Method): InnerClass {
  const Theirs = method.createContext({}).constructor as InnerClass
  class InnerContext extends Theirs {}
  Object.defineProperties(InnerContext.prototype, { dispatch, result: firstResult })
  return InnerContext
}

/**
 * Makes the function that calls the methods of a service as the transports of Feathers do: with a
 * context, which holds what has come of it.
 */
export function createCall(service: FeathersService): (context: HookContext, notify: Notify) => Promise<void> {
  const classes = new Map<Method, InnerClass>()
  return async (context, notify) => {
    const method = service[context.method] as Method
    const Class = classes.get(method) ?? classOf(method)
    classes.set(method, Class)
    const inner = new Class({ http: context.http, [outerContext]: { context, notify } })
    try {
      await method.call(service, ...context.arguments, inner)
    } finally {
      context.arguments = inner.arguments
      context.result = inner.result
      context.http = inner.http
    }
  }
}

/** What `@feathersjs/hooks` knows of a method. */
interface HookManager {
  collectMiddleware(self: unknown, args: unknown[]): unknown[]
}
const managerMark: unique symbol = Symbol.for('@feathersjs/hooks') as never

/**
 * Puts an interceptor around the methods of a service, within all of its hooks: the manager of the
 * hooks of a method names the functions around it.
 */
export function interceptMethods(service: FeathersService, interceptor: Interceptor): void {
  const innermost = async (context: HookContext, next: () => Promise<void>) => {
    // A hook has answered: the method is not called.
    if (Object.hasOwn(context, 'result')) return next()
    context.result = await interceptor(context, async () => {
      await next()
      return context.result
    })
  }
  for (const name of Object.getOwnPropertyNames(service)) {
    const manager = (service[name] as { [managerMark]?: HookManager } | undefined)?.[managerMark]
    if (manager === undefined) continue
    const collect = manager.collectMiddleware.bind(manager)
    manager.collectMiddleware = (self, args) => [...collect(self, args), innermost]
  }
}
