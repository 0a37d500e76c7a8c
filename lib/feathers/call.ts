import type { HookContext } from '../../types/hooks.js'
import type { Context, FeathersService, Method } from './mounted.js'

/** Is notified of a context whose result or `dispatch` was set. */
export type Notify = (context: HookContext) => void

const outer = Symbol('outer')

/** A context of theirs, with ours. */
interface Inner extends Context {
  [outer]: { readonly context: HookContext; readonly notify: Notify }
}
type InnerClass = new (data: object) => Inner

/** Reads and writes a member of our context: a stream that one of their hooks replaces must be closed, too. */
const through = (name: 'result' | 'dispatch'): PropertyDescriptor & ThisType<Inner> => ({
  configurable: true,
  enumerable: true,
  get() {
    return this[outer].context[name]
  },
  set(value) {
    const { context, notify } = this[outer]
    context[name] = value
    notify(context)
  }
})
const dispatch = through('dispatch')
const result = through('result')

// Feathers calls the method unless the context has a result of its own, so that it comes with the first that is set.
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

/** Makes the function that calls the methods of a service as the transports of Feathers do: with a context, which holds what has come of it. */
export function createCall(service: FeathersService): (context: HookContext, notify: Notify) => Promise<void> {
  const classes = new Map<Method, InnerClass>()
  return async (context, notify) => {
    const method = service[context.method] as Method
    const Class = classes.get(method) ?? classOf(method)
    classes.set(method, Class)
    const inner = new Class({ http: context.http, [outer]: { context, notify } })
    try {
      await method.call(service, ...context.arguments, inner)
    } finally {
      context.arguments = inner.arguments
      context.result = inner.result
      context.http = inner.http
    }
  }
}
