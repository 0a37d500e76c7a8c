import type { HookContext, HookType, Http } from '../../types/hooks.js'
import { type Caller, caller, lendSignal } from './caller.js'
import { pick } from './pick.js'

/** What all calls of one method share. */
export interface Shared {
  readonly app: unknown
  readonly service: unknown
  readonly path: string
  readonly method: string
}

const shown = ['path', 'method', 'type', 'event', 'id', 'data', 'params', 'result', 'dispatch', 'error', 'http']

const httpBefore = Symbol('httpBefore')

class Context {
  type: HookType = 'around'
  event: string | null
  http: Http = {}
  result: unknown = undefined
  dispatch: unknown = undefined
  error: unknown = undefined
  arguments: unknown[]
  readonly [caller]: Caller | undefined;
  [httpBefore]: Http | undefined = undefined

  constructor(event: string | null, args: unknown[], from: Caller | undefined) {
    this.event = event
    this.arguments = args
    this[caller] = from
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
    return pick(shown, (name) => context[name])
  }
}

/**
 * Makes the function that creates the contexts of one method. What its calls share stands on the prototype, and the named
 * arguments (`id`, `data`, `params`) read and write `context.arguments`.
 */
export function contextOf(
  shared: Shared,
  names: readonly string[],
  event: string | null
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
        if (name === 'params') lendSignal(value, this[caller])
        this.arguments[index] = value
      }
    })
  })
  const last = names.length - 1
  return (args) => {
    args[last] ??= {}
    const params = args[last] as { [caller]?: Caller }
    lendSignal(params, undefined)
    return new MethodContext(event, args, params[caller]) as unknown as HookContext
  }
}

type Internal = HookContext & Pick<Context, typeof caller | typeof httpBefore>

/** Who has made a call over HTTP, also where a hook has put other params in the place of its own. */
export const callerOf = (context: HookContext): Caller | undefined => (context as Internal)[caller]

/** Notes what hooks have said of the answer before the method runs: what is said later is said of its result. */
export function begin(context: HookContext): void {
  ;(context as Internal)[httpBefore] = copyOf(context.http)
}

/** Takes back what was said of the answer for a result that failed. */
export function undo(context: HookContext): void {
  const { [httpBefore]: http } = context as Internal
  if (http !== undefined) context.http = copyOf(http)
}

const copyOf = (http: Http | undefined): Http => ({ ...http, ...(http?.headers && { headers: { ...http.headers } }) })
