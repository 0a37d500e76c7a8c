import type { AroundHook, HookContext } from '../../types/hooks.js'

/** Runs a call with its hooks, and puts the result into the context. */
export type Run = (context: HookContext) => Promise<void>

/** Calls the user's method, and returns its result. */
export type Invoke = (context: HookContext) => unknown

/** Wraps the user's method, within all hooks. It may return a result without calling the method. */
export type Interceptor = (context: HookContext, invoke: Invoke) => unknown

/** Follows the results of a call from hook to hook, so that no stream among them is forgotten. */
export interface ResultTracker {
  /** Is called when a hook or the method has ended, and may have set a result. */
  trackResult(context: HookContext): void
  /**
   * Is called when a hook has failed. A hook further out may still recover.
   *
   * @param running settles with the rest of the call, if that still runs: the hook has not waited
   * for it
   * @throws an error in place of this one
   */
  trackFailure(context: HookContext, error: unknown, running?: Promise<void>): void
}

/**
 * Wraps a call into hooks, the first one outermost. This happens once per method, at its first call.
 * A hook ends the call early, or recovers from an error, by setting `context.result`.
 */
export function compose(hooks: readonly AroundHook[], call: Run, tracker: ResultTracker): Run {
  return hooks.reduceRight<Run>(
    (inner, hook) => async (context) => {
      let running: Promise<void> | undefined
      let pending: Promise<void> | undefined
      const settle = () => {
        pending = undefined
      }
      const next = () => {
        if (running) throw new Error(`next() called multiple times ${by(hook, context)}`)
        running = pending = inner(context)
        // A failure that the hook does not wait for must not end the process: it is thrown below.
        running.then(settle, settle)
        return running
      }
      try {
        await hook.call(context.service, context, next)
        if (pending) await pending
        if (!('result' in context || running))
          throw new Error(`next() was not called ${by(hook, context)}, nor was context.result set`)
        if (context.result === undefined) await running
      } catch (error) {
        tracker.trackFailure(context, error, pending)
        throw error
      }
      tracker.trackResult(context)
    },
    call
  )
}

const by = (hook: AroundHook, { path, method }: HookContext) => `by ${hook.name || 'a hook'} of ${path}.${method}`

/** The environment of calls: a server traces them and tracks their streams, a client does not. */
export interface CallEnvironment extends ResultTracker {
  /** Wraps the calls of a method, with their hooks. */
  wrapRun(run: Run, service: object): Run
  /** Wraps the method itself, which is called if no hook has set a result. */
  wrapMethod(invoke: Invoke, service: object): Invoke
  /** Puts the hooks of a method into the order in which they run. */
  sortHooks(hooks: AroundHook[]): AroundHook[]
  /** Returns the `context.app` of hooks for the instance of a service. */
  toApp(instance: unknown): unknown
  /** @throws {BadRequest} if the arguments of a call do not fit its method */
  check(method: string, names: readonly string[], args: readonly unknown[]): void
  /** Is called with the params of a call, and again if a hook replaces them. */
  attachSignal(context: HookContext, params: unknown): void
  /**
   * Waits for a call by `app.service()`, and stops tracking its streams.
   * @throws the error of the call
   */
  untrack(running: Promise<void>, context: HookContext): Promise<void>
}

/**
 * The environment of a client: every function returns its first argument. Nothing is traced or
 * tracked, and the server checks arguments. Its names would be a part of the client's size.
 */
export const clientEnvironment = new Proxy({}, { get: () => keep }) as CallEnvironment

function keep<T>(value: T): T {
  return value
}
