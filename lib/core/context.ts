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

const onParams = Symbol()

class ContextBase implements Omit<HookContext, 'statusCode' | 'toJSON'> {
  declare readonly app: unknown
  declare readonly self: RegisteredService
  declare readonly service: RegisteredService
  declare readonly path: string
  declare readonly method: string
  declare params: Params
  // Absent until it is set: a hook that sets it has answered, to `undefined` too.
  declare result: unknown
  /** Is called when a hook replaces the params. */
  declare [onParams]: CallEnvironment['attachSignal']
  declare event: string | null
  declare arguments: unknown[]
  type: HookType = 'around'
  http: Http = {}
  dispatch: unknown
  error: unknown

  constructor(event: string | null, args: unknown[]) {
    this.event = event
    this.arguments = args
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

const argumentClasses = new Map<string, typeof ContextBase>()

/**
 * The class of contexts whose named arguments read and write `context.arguments`. Methods of all
 * services share it: there may be thousands.
 */
function classWith(names: MethodDefinition['arguments']): typeof ContextBase {
  const key = names.join()
  const shared = argumentClasses.get(key)
  if (shared !== undefined) return shared
  class ArgumentsContext extends ContextBase {}
  for (const [index, name] of names.entries()) {
    Object.defineProperty(ArgumentsContext.prototype, name, {
      enumerable: true,
      get(this: ContextBase) {
        return this.arguments[index]
      },
      set(this: ContextBase, value: unknown) {
        if (name === 'params') this[onParams](this as object as HookContext, value)
        this.arguments[index] = value
      }
    })
  }
  argumentClasses.set(key, ArgumentsContext)
  return ArgumentsContext
}

/**
 * Makes the function that creates the contexts of one method. What its calls have in common stands
 * on the prototype, and the named arguments (`id`, `data`, `params`) read and write
 * `context.arguments`. The params of a call are passed to `attachSignal`, and again if a hook
 * replaces them.
 * @returns the function. @throws what `check` throws
 */
export function contextOf(
  shared: SharedContext,
  names: MethodDefinition['arguments'],
  event: string | null,
  { check, attachSignal }: Pick<CallEnvironment, 'check' | 'attachSignal'>
): (args: unknown[]) => HookContext {
  class MethodContext extends classWith(names) {}
  MethodContext.prototype[onParams] = attachSignal
  Object.defineProperties(MethodContext.prototype, Object.getOwnPropertyDescriptors(Object.freeze(shared)))
  const last = names.length - 1
  return (args) => {
    check(shared.method, names, args)
    args[last] ??= {}
    // The cast: the type of `toJSON` is that of Feathers, and `statusCode` is absent rather than
    // `undefined`.
    const context = new MethodContext(event, args) as object as HookContext
    attachSignal(context, args[last])
    return context
  }
}
