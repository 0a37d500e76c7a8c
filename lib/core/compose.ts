import type { AroundHook, HookContext } from '../../types/hooks.js'

/** Runs a call with its hooks, and puts the result into the context. */
export type Run = (context: HookContext) => Promise<void>

/** Calls the user's method, and returns its result. */
export type Invoke = (context: HookContext) => unknown

/**
 * Stands around the calls of the user's methods, within all hooks. It returns the result, by
 * calling the method or by itself.
 */
export type Interceptor = (context: HookContext, invoke: Invoke) => unknown

/** Is notified after each hook of a call. */
export interface HookObserver {
  /** The hook has ended, and may have changed the result. */
  see(context: HookContext): void
  /**
   * The hook has failed. A hook further out may still recover.
   *
   * @param running settles with the rest of the call, if that still runs: the hook has not waited
   * for it
   * @throws an error in place of this one
   */
  fail(context: HookContext, error: unknown, running?: Promise<void>): void
}

/**
 * Wraps a call into hooks, the first one outermost. This is done once for each method, not for each
 * call, and adds nothing where there are no hooks. A hook ends the call early, or recovers from an
 * error, by setting `context.result`.
 */
export function compose(hooks: readonly AroundHook[], call: Run, observer: HookObserver): Run {
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
        observer.fail(context, error, pending)
        throw error
      }
      observer.see(context)
    },
    call
  )
}

const by = (hook: AroundHook, { path, method }: HookContext) => `by ${hook.name || 'a hook'} of ${path}.${method}`

/**
 * What happens around each call. Four functions are used when the hooks of a method are composed,
 * the others by each call.
 */
export interface CallObserver extends HookObserver {
  /** Wraps what runs the calls of a method of a service. */
  trace(run: Run, service: object): Run
  /** Wraps what invokes a method of a service, where no hook has answered. */
  wrap(invoke: Invoke, service: object): Invoke
  /** Puts the hooks of a method into the order in which they run. */
  arrange(hooks: AroundHook[]): AroundHook[]
  /** What hooks get as `context.app` for the instance of a service. */
  app(instance: unknown): unknown
  /**
   * A method is called with these arguments.
   * @throws {BadRequest} when they are not what it takes. A client leaves that to the server
   */
  check(method: string, names: readonly string[], args: readonly unknown[]): void
  /** The call has got these params. */
  lend(context: HookContext, params: unknown): void
  /**
   * Waits for a call that the server has made itself, and ends what was done for it.
   * @throws what the call throws
   */
  end(running: Promise<void>, context: HookContext): Promise<void>
}

/**
 * Changes nothing around a call, and answers each question with what it is asked about: a client
 * has no other observer.
 */
export const neutral = new Proxy(
  {},
  {
    get:
      () =>
      <T>(value: T) =>
        value
  }
) as CallObserver
