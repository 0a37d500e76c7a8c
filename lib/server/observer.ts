import type { HookContext, Http } from '../../types/hooks.js'
import { type Caller, type Carrier, caller, callerIn } from '../core/caller.js'
import type { CallObserver } from '../core/service.js'
import { lazySignal } from './params.js'
import { adopt, release } from './sources.js'

const from = Symbol('from')
const httpBefore = Symbol('httpBefore')
const failed = Symbol('failed')

/** A context, with what is noted of its call. */
interface Noted extends HookContext {
  /** Who has made the call over HTTP, also where a hook has put other params in the place of its own. */
  [from]?: Caller | undefined
  /** `context.http` as it was before the method ran: what hooks add later is about the result. */
  [httpBefore]?: Http
  /** The result that has failed, until a hook takes the error back. */
  [failed]?: Pick<HookContext, 'result' | 'dispatch'> | undefined
}

/** Watches over the calls of a server: their streams, their signal, and what a result that failed leaves behind. */
export const observer: CallObserver = {
  lend(context: Noted, params) {
    const own = callerIn(params) ?? context[from]
    if (own === undefined) return
    context[from] = own
    if (typeof params !== 'object' || params === null || 'signal' in params || !Object.isExtensible(params)) return
    ;(params as Carrier)[caller] = own.token
    Object.defineProperty(params, 'signal', lazySignal)
  },

  begin(context: Noted) {
    // A signal that is enumerable was set by a hook, or by who calls, in the place of the caller's.
    const params: { signal?: AbortSignal } = Object(context.params)
    const own = isEnumerable.call(params, 'signal') ? params.signal : undefined
    if (own === undefined) context[from]?.throwIfGone()
    else if (own?.aborted) throw own.reason
    context[httpBefore] = hasSome(context.http) ? copyOf(context.http) : none
  },

  see(context: Noted) {
    adopt(context.result, context, callerOf(context))
    adopt(context.dispatch, context, callerOf(context))
    const lost = context[failed]
    if (lost === undefined) return
    context[failed] = undefined
    // What was to leave for the result that failed is not for the one that a hook has set in its place.
    if (lost.result !== context.result && lost.dispatch === context.dispatch) context.dispatch = undefined
  },

  fail(context: Noted) {
    observer.see(context)
    context[failed] = { result: context.result, dispatch: context.dispatch }
    const { [httpBefore]: http } = context
    if (http !== undefined) context.http = copyOf(http)
  },

  end: release
}

/** The caller of a call over HTTP, `undefined` for a call of the server, also for one that hands the params of another on. */
function callerOf(context: Noted): Caller | undefined {
  const { [from]: own } = context
  return own?.context === context ? own : undefined
}

const isEnumerable = Object.prototype.propertyIsEnumerable
const none: Http = {}
function hasSome(http: Http | undefined): boolean {
  for (const _ in http) return true
  return false
}
const copyOf = (http: Http | undefined): Http => ({ ...http, ...(http?.headers && { headers: { ...http.headers } }) })
