import type { AroundHook, Hook, HookContext, HookMap, HookOptions, HookType } from '../../types/hooks.js'

/** A before hook as an around hook. */
function before(hook: Hook): AroundHook {
  return async (context, next) => {
    await run(hook, context, 'before')
    await next()
  }
}

/** An after hook as an around hook. */
function after(hook: Hook): AroundHook {
  return async (context, next) => {
    await next()
    await run(hook, context, 'after')
  }
}

/** All error hooks of one place as one around hook: each may replace the error, or set a result and so take it back. */
function error(hooks: readonly Hook[]): AroundHook {
  return async (context, next) => {
    try {
      await next()
    } catch (thrown) {
      const failure = thrown ?? new Error(`${thrown} was thrown`)
      context.error = failure
      delete context.result
      for (const hook of hooks) await run(hook, context, 'error')
      if (context.result === undefined) throw context.error ?? failure
    }
  }
}

async function run(hook: Hook, context: HookContext, type: HookType): Promise<void> {
  const outer = context.type
  context.type = type
  const changes = await hook.call(context.service, context)
  context.type = outer
  if (typeof changes === 'object' && changes !== null && changes !== context) Object.assign(context, changes)
}

type Registered = { [T in HookType]: Map<string, Hook[]> }

/** The hooks of one service, or those of all services, in the order in which they were added. */
export class HookStore {
  readonly #hooks: Registered = { around: new Map(), before: new Map(), after: new Map(), error: new Map() }

  /** Adds hooks. `methods` are the names that may stand beside `all`. */
  add(options: HookOptions | HookMap<AroundHook>, methods?: (name: string) => boolean): void {
    for (const [type, map] of Object.entries(typed(options))) {
      if (map === undefined) continue
      const store = Object.hasOwn(this.#hooks, type) ? this.#hooks[type as HookType] : undefined
      if (store === undefined) throw new Error(`'${type}' is not a valid hook type: it is one of around, before, after, error`)
      for (const [method, hooks] of Object.entries(byMethod(map))) {
        const list = [hooks].flat() as Hook[]
        if (list.length === 0) continue
        if (method !== 'all' && methods?.(method) === false) throw new Error(`'${method}' has ${type} hooks but is no method of the service`)
        for (const hook of list) if (typeof hook !== 'function') throw new Error(`A hook is a function: see ${type} hooks of '${method}'`)
        store.set(method, [...(store.get(method) ?? []), ...list])
      }
    }
  }

  /** The hooks of a method as around hooks, outermost first: those for `all` methods stand around those for one. */
  collect(method: string): AroundHook[] {
    const of = (type: HookType, name: string) => this.#hooks[type].get(name) ?? []
    const errors = (name: string) => (of('error', name).length > 0 ? [error(of('error', name))] : [])
    return [
      ...(of('around', 'all') as AroundHook[]),
      ...(of('around', method) as AroundHook[]),
      ...errors('all'),
      ...of('before', 'all').map(before),
      ...errors(method),
      ...of('before', method).map(before),
      ...of('after', method).map(after).reverse(),
      ...of('after', 'all').map(after).reverse()
    ]
  }
}

const types: readonly string[] = ['around', 'before', 'after', 'error']

// As in Feathers, what names no type is a list of around hooks, or a map of such lists by method.
function typed(options: HookOptions | HookMap<AroundHook>): HookOptions {
  const isTyped = typeof options === 'object' && (Object.keys(options).length === 0 || Object.keys(options).some((key) => types.includes(key)))
  return isTyped ? (options as HookOptions) : { around: options as HookMap<AroundHook> }
}

function byMethod<H>(map: HookMap<H>): { readonly [method: string]: H | readonly H[] } {
  return typeof map === 'function' || Array.isArray(map) ? { all: map as H } : (map as { readonly [method: string]: H })
}
