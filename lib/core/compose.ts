import type { AroundHook, HookContext } from '../../types/hooks.js'

/** A call with its hooks. It puts its result into the context. */
export type Run = (context: HookContext) => Promise<void>

/** Is notified after the hooks of a call. */
export interface HookObserver {
  /** A hook has changed the result or `dispatch`, has set a result early, or has recovered from an error. */
  see(context: HookContext): void
  /** The hook has failed. A hook further out may still recover. */
  fail(context: HookContext): void
}

/** A hook with all that is inside it, or the call itself. It calls `settle` right before its promise settles. */
type Layer = (context: HookContext, settle: (hasFailed: boolean) => void) => Promise<void>

/**
 * Wraps a call into hooks, the first one outermost. This is done once for each method, not for each call, and adds
 * nothing where there are no hooks. A hook ends the call early, or recovers from an error, by setting `context.result`.
 */
export function compose(hooks: readonly AroundHook[], call: Run, observer?: HookObserver): Run {
  if (hooks.length === 0) return call
  const innermost: Layer = (context, settle) => {
    const running = call(context)
    running.then(
      () => settle(false),
      () => settle(true)
    )
    return running
  }
  const outermost = hooks.reduceRight<Layer>(
    (inner, hook) => layer(hook, inner, observer, inner !== innermost),
    innermost
  )
  return (context) => outermost(context, () => {})
}

/** @param mayPass whether `inner` tells the observer when it fails, as all hooks do, and the call itself does not */
function layer(hook: AroundHook, inner: Layer, observer: HookObserver | undefined, mayPass: boolean): Layer {
  return (context, settle) => {
    let running: Promise<void> | undefined
    let isPassed = false
    let isSettled = false
    // What the observer has seen last, unless it has to look anyway.
    let { result, dispatch } = context
    let mustSee = true
    const settleInner = (hasFailed: boolean) => {
      isSettled = true
      mustSee = hasFailed
      result = context.result
      dispatch = context.dispatch
      if (isPassed) settle(hasFailed)
    }
    const next = () => {
      if (running !== undefined) throw new Error(`next() called multiple times ${by(hook, context)}`)
      running = inner(context, settleInner)
      return running
    }
    const end = async () => {
      try {
        await returned
        if (!isSettled) await running
        if (context.result === undefined) {
          if (running === undefined)
            throw new Error(`next() was not called ${by(hook, context)}, nor was context.result set`)
          await running
        }
      } catch (error) {
        observer?.fail(context)
        tell(ended)
        throw error
      }
      if (mustSee || context.result !== result || context.dispatch !== dispatch) observer?.see(context)
      settle(false)
    }
    // The hook around this one may wait for a failure later, or never: until then it must not end the process.
    const tell = (failing: Promise<void>) => {
      failing.catch(() => settle(true))
    }
    let returned: unknown
    try {
      returned = hook.call(context.service, context, next)
    } catch (error) {
      observer?.fail(context)
      const failed = Promise.reject(error)
      tell(failed)
      return failed
    }
    // There is nothing to do after a hook that returns what `next()` gave it: its promise is that of what is inside.
    isPassed = mayPass && running !== undefined && returned === running
    if (isPassed) return returned as Promise<void>
    const ended = end()
    return ended
  }
}

const by = (hook: AroundHook, { path, method }: HookContext) => `by ${hook.name || 'a hook'} of ${path}.${method}`
