import type { AroundHook } from '../../types/hooks.js'
import type { ResultTracker } from '../core/compose.js'
import { aroundHooksOf, composeErrorHooks, HookStore, hookTypes } from '../core/hooks.js'
import { checkHooks, type HookReceiver } from './hook-options.js'

/** Hooks on the server. It refuses hooks that would never run. */
export class CheckedHooks extends HookStore {
  readonly #receiver: HookReceiver
  /** By method. Composed once, not at each call. */
  readonly #errorHooks = new Map<string, AroundHook>()

  /** @param receiver whose hooks they are */
  constructor(receiver: HookReceiver) {
    super()
    this.#receiver = receiver
  }

  override add(...[options, ...rest]: Parameters<HookStore['add']>): void {
    checkHooks(options, this.#receiver)
    super.add(options, ...rest)
    this.#errorHooks.clear()
  }

  /** Returns the error hooks of a method as one around hook. */
  errorHooks(method: string): AroundHook {
    const composed = this.#errorHooks.get(method) ?? composeErrorHooks(this, method)
    this.#errorHooks.set(method, composed)
    return composed
  }
}

/**
 * The hooks of a service. As in Feathers, hooks without a type (a list, or lists by method) run
 * around the others, wherever they were added.
 */
export class ServiceHooks extends CheckedHooks {
  override add(...[options, ...rest]: Parameters<HookStore['add']>): void {
    const { length } = this.added
    super.add(options, ...rest)
    if (Object.keys(options).some((name) => hookTypes.includes(name))) return
    for (const added of this.added.slice(length)) added.isOutermost = true
  }

  override collect(method: string, tracker: ResultTracker): AroundHook[] {
    const around = aroundHooksOf(this, method).map(({ hook }) => hook as AroundHook)
    return [...around, ...super.collect(method, tracker).slice(around.length)]
  }
}
