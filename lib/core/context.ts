import type { HookContext, HookType, Http } from '../../types/hooks.js'
import { pick } from './pick.js'

/** What all calls of one method share. */
export interface Shared {
  readonly app: unknown
  readonly service: unknown
  readonly path: string
  readonly method: string
}

const shown = ['path', 'method', 'type', 'event', 'id', 'data', 'params', 'result', 'dispatch', 'error', 'http']

class Context {
  type: HookType = 'around'
  event: string | null
  http: Http = {}
  result: unknown = undefined
  dispatch: unknown = undefined
  error: unknown = undefined
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

  toJSON(): Record<string, unknown> {
    const context = this as unknown as Record<string, unknown>
    return pick([...shown, ...Object.keys(this)], (name) => context[name])
  }
}

/**
 * Makes the function that creates the contexts of one method. What its calls share stands on the prototype, and the named
 * arguments (`id`, `data`, `params`) read and write `context.arguments`. `onParams` is told of the params of a call, and of those that a
 * hook puts in their place.
 */
export function contextOf(
  shared: Shared,
  names: readonly string[],
  event: string | null,
  onParams?: (context: HookContext, params: unknown) => void
): (args: unknown[]) => HookContext {
  class MethodContext extends Context {}
  for (const [key, value] of Object.entries(shared))
    Object.defineProperty(MethodContext.prototype, key, { value, enumerable: true })
  names.forEach((name, index) => {
    Object.defineProperty(MethodContext.prototype, name, {
      enumerable: true,
      get(this: Context) {
        return this.arguments[index]
      },
      set(this: Context, value: unknown) {
        if (name === 'params') onParams?.(this as unknown as HookContext, value)
        this.arguments[index] = value
      }
    })
  })
  const last = names.length - 1
  return (args) => {
    args[last] ??= {}
    const context = new MethodContext(event, args) as unknown as HookContext
    onParams?.(context, args[last])
    return context
  }
}
