import type { AroundHook, HookContext } from '../../types/hooks.js'
import { undo } from './context.js'

/** A call with everything around it. What it gives stands in the context. */
export type Run = (context: HookContext) => Promise<void>

/** Told of a call each time that its result may be another one. */
export type OnResult = (context: HookContext) => void

/**
 * Wraps a call into hooks, the first one outermost. It is done once for each method, not for each call, and costs nothing
 * where there are no hooks. A hook ends the call early, or takes an error back, by setting `context.result`.
 */
export function compose(hooks: readonly AroundHook[], call: Run, onResult?: OnResult): Run {
  return hooks.reduceRight<Run>((inner, hook) => wrap(hook, inner, onResult), call)
}

function wrap(hook: AroundHook, inner: Run, onResult: OnResult | undefined): Run {
  return async (context) => {
    let running: Promise<void> | undefined
    let isSettled = false
    let failed: Pick<HookContext, 'result' | 'dispatch'> | undefined
    const settle = () => {
      isSettled = true
    }
    const fail = () => {
      isSettled = true
      failed = { result: context.result, dispatch: context.dispatch }
    }
    const next = () => {
      if (running !== undefined) throw new Error(`next() called multiple times ${by(hook, context)}`)
      running = inner(context)
      // A failure that the hook does not wait for must not end the process: it is thrown below.
      running.then(settle, fail)
      return running
    }
    try {
      await hook.call(context.service, context, next)
      if (!isSettled) await running
      if (context.result === undefined) {
        if (running === undefined)
          throw new Error(`next() was not called ${by(hook, context)}, nor was context.result set`)
        await running
      }
      // The hook has taken the error back: what was to leave for the result that failed is not for the new one.
      if (failed !== undefined && failed.result !== context.result && failed.dispatch === context.dispatch)
        context.dispatch = undefined
    } catch (error) {
      onResult?.(context)
      undo(context)
      throw error
    }
    onResult?.(context)
  }
}

const by = (hook: AroundHook, { path, method }: HookContext) => `by ${hook.name || 'a hook'} of ${path}.${method}`
