import type { HookContext, HookType, Http, RegisteredService } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import { checkArguments, type MethodDefinition } from './methods.js'
import { pick } from './objects.js'

/** What all calls of one method have in common. */
export interface SharedContext {
  readonly app: unknown
  readonly service: RegisteredService
  readonly path: string
  readonly method: string
}

class ContextBase implements Omit<HookContext, 'statusCode' | 'toJSON'> {
  declare readonly app: unknown
  declare readonly service: RegisteredService
  declare readonly path: string
  declare readonly method: string
  declare params: Params
  type: HookType = 'around'
  event: string | null
  http: Http = {}
  result: unknown
  dispatch: unknown
  error: unknown
  arguments: unknown[]

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
    for (const name in this) if (name !== 'app' && name !== 'service') names.push(name)
    return pick(names, (name) => this[name as keyof this])
  }
}

/**
 * Makes the function that creates the contexts of one method. What its calls have in common stands on the prototype, and the named
 * arguments (`id`, `data`, `params`) read and write `context.arguments`. `onParams` is called with the params of a call, and again when a
 * hook replaces them.
 * @returns the function. @throws {BadRequest} when the arguments are not what the method takes
 */
export function contextOf(
  shared: SharedContext,
  names: MethodDefinition['arguments'],
  event: string | null,
  onParams: (context: HookContext, params: unknown) => void
): (args: unknown[]) => HookContext {
  class MethodContext extends ContextBase {}
  Object.defineProperties(MethodContext.prototype, Object.getOwnPropertyDescriptors(Object.freeze(shared)))
  for (const [index, name] of names.entries()) {
    Object.defineProperty(MethodContext.prototype, name, {
      enumerable: true,
      get(this: ContextBase) {
        return this.arguments[index]
      },
      set(this: ContextBase, value: unknown) {
        if (name === 'params') onParams(this as object as HookContext, value)
        this.arguments[index] = value
      }
    })
  }
  const last = names.length - 1
  return (args) => {
    checkArguments(shared.method, names, args)
    args[last] ??= {}
    // The cast: the type of `toJSON` is that of Feathers, and `statusCode` is absent rather than `undefined`.
    const context = new MethodContext(event, args) as object as HookContext
    onParams(context, args[last])
    return context
  }
}
