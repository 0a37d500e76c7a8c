import type { HookContext, HookType, Http, RegisteredService } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import type { CallEnvironment } from './compose.js'
import type { MethodDefinition } from './methods.js'
import { pick } from './objects.js'

/** The properties that the contexts of one method share. */
interface SharedContext {
  readonly app: unknown
  readonly service: RegisteredService
  readonly self: RegisteredService
  readonly path: string
  readonly method: string
}

const methodOf = Symbol()

/** One object for all calls of a method. */
interface MethodContext extends SharedContext {
  /** Is called when a hook replaces the params. */
  readonly attachSignal: CallEnvironment['attachSignal']
}

class ContextBase implements Omit<HookContext, 'statusCode' | 'toJSON'> {
  declare readonly app: unknown
  declare readonly self: RegisteredService
  declare readonly service: RegisteredService
  declare readonly path: string
  declare readonly method: string
  declare params: Params
  // Absent until it is set: a hook that sets it has answered, to `undefined` too.
  declare result: unknown
  declare event: string | null
  declare arguments: unknown[]
  declare type: HookType
  declare http: Http
  declare dispatch: unknown
  declare error: unknown
  /** A function, so that printing a context does not print the application. */
  declare [methodOf]: () => MethodContext

  // Assigned, not declared as fields: V8 defines the fields of a class that others extend slowly.
  constructor(event: string | null, args: unknown[], method: () => MethodContext) {
    this.type = 'around'
    this.http = {}
    this.dispatch = undefined
    this.error = undefined
    this.event = event
    this.arguments = args
    this[methodOf] = method
  }

  get statusCode(): number | undefined {
    return this.http?.status
  }

  set statusCode(status: number | undefined) {
    this.http ??= {}
    if (status === undefined) delete this.http.status
    else this.http.status = status
  }

  toJSON(): object {
    const names = []
    for (const name in this) if (!/^(app|service|self)$/.test(name)) names.push(name)
    return pick(names, (name) => this[name as keyof this])
  }
}

const contextClasses: Record<string, typeof ContextBase> = {}

/**
 * The class of the contexts of all methods with these arguments. One for all services: V8 reads
 * objects of a few classes fast, and an application has hundreds of methods.
 */
function createContextClass(names: MethodDefinition['arguments'], shared: SharedContext): typeof ContextBase {
  const properties: PropertyDescriptorMap = {}
  for (const name in shared)
    properties[name] = {
      enumerable: true,
      get(this: ContextBase) {
        return this[methodOf]()[name as keyof SharedContext]
      }
    }
  for (const [index, name] of names.entries())
    properties[name] = {
      enumerable: true,
      get(this: ContextBase) {
        return this.arguments[index]
      },
      set(this: ContextBase, value) {
        if (name === 'params') this[methodOf]().attachSignal(this as object as HookContext, value)
        this.arguments[index] = value
      }
    }
  class Context extends ContextBase {}
  Object.defineProperties(Context.prototype, properties)
  return Context
}

/**
 * Makes the function that creates the contexts of one method. The named arguments (`id`, `data`,
 * `params`) read and write `context.arguments`. The params of a call are passed to `attachSignal`,
 * and again if a hook replaces them.
 * @returns the function, which throws the errors of `check`
 */
export function contextOf(
  shared: SharedContext,
  names: MethodDefinition['arguments'],
  event: string | null,
  { check, attachSignal }: Pick<CallEnvironment, 'check' | 'attachSignal'>
): (args: unknown[]) => HookContext {
  contextClasses[names.join()] ??= createContextClass(names, shared)
  const Context = contextClasses[names.join()] as typeof ContextBase
  const ofMethod = { ...shared, attachSignal }
  const method = () => ofMethod
  const last = names.length - 1
  return (args) => {
    check(shared.method, names, args)
    args[last] ??= {}
    // The cast: `toJSON` has its type in Feathers, and `statusCode` is absent, not `undefined`.
    const context = new Context(event, args, method) as object as HookContext
    attachSignal(context, args[last])
    return context
  }
}
