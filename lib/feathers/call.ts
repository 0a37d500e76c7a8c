import type { HookContext } from '../../types/hooks.js'
import type { Interceptor } from '../core/compose.js'
import { outerContext } from '../core/http-call.js'
import type { Context, FeathersService, Method } from './mounted.js'

/** Is called with a context whose result or `dispatch` was set. */
export type Notify = (context: HookContext) => void

/** A context of Feathers that leads to ours. */
interface InnerContext extends Context {
  [outerContext]: { readonly context: HookContext; readonly notify: Notify }
}
type InnerContextClass = new (data: object) => InnerContext

/**
 * Creates a property that reads and writes our context, so that the server closes a stream which a
 * hook of Feathers replaces.
 */
const toOuter = (name: 'result' | 'dispatch'): PropertyDescriptor & ThisType<InnerContext> => ({
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
const dispatch = toOuter('dispatch')
const result = toOuter('result')

// Feathers skips the method if the context has an own result, so the property is created with the
// first result.
const firstResult: PropertyDescriptor & ThisType<InnerContext> = {
  set(value) {
    Object.defineProperty(this, 'result', result)
    this.result = value
  }
}

function createInnerContextClass(method: Method): InnerContextClass {
  const FeathersContext = method.createContext({}).constructor as InnerContextClass
  class CallContext extends FeathersContext {}
  Object.defineProperties(CallContext.prototype, { dispatch, result: firstResult })
  return CallContext
}

/**
 * Creates the function that calls the methods of a service as the transports of Feathers do: with a
 * context that holds the result afterwards.
 */
export function createCall(service: FeathersService): (context: HookContext, notify: Notify) => Promise<void> {
  const classes = new Map<Method, InnerContextClass>()
  return async (context, notify) => {
    const method = service[context.method] as Method
    const Class = classes.get(method) ?? createInnerContextClass(method)
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

/** The hooks of a method, in `@feathersjs/hooks`. */
interface HookManager {
  collectMiddleware(self: unknown, args: unknown[]): unknown[]
}
const managerSymbol: unique symbol = Symbol.for('@feathersjs/hooks') as never

/** Runs an interceptor around the methods of a service, inside all of its hooks. */
export function interceptMethods(service: FeathersService, interceptor: Interceptor): void {
  const innermost = async (context: HookContext, next: () => Promise<void>) => {
    // A hook has set the result: the method is not called.
    if (Object.hasOwn(context, 'result')) return next()
    context.result = await interceptor(context, async () => {
      await next()
      return context.result
    })
  }
  for (const name of Object.getOwnPropertyNames(service)) {
    const manager = (service[name] as { [managerSymbol]?: HookManager } | undefined)?.[managerSymbol]
    if (manager === undefined) continue
    const collect = manager.collectMiddleware.bind(manager)
    manager.collectMiddleware = (self, args) => [...collect(self, args), innermost]
  }
}
