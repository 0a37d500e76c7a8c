import type { AroundHook, HookContext } from '../../types/hooks.js'
import type { HookObserver, Run } from './compose.js'

/** What a server does around each call of its services. A client has none. */
export interface CallObserver extends HookObserver {
  /** Wraps what runs the calls of a method. */
  trace(run: Run): Run
  /** Puts the hooks of a method into the order in which they run. */
  arrange(hooks: AroundHook[]): AroundHook[]
  /** What hooks get as `context.app` for the instance of a service. */
  app(instance: unknown): unknown
  /** The call has got these params. */
  lend(context: HookContext, params: unknown): void
  /** The method is about to run. @throws to prevent that */
  begin(context: HookContext): void
  /** A call that the server has made itself is over. */
  end(context: HookContext, hasFailed: boolean): void
}
