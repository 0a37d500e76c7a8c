import { tracingChannel } from 'node:diagnostics_channel'
import type { AroundHook, HookContext, Http, TracedCall } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import { type CallState, callStateOf } from '../core/call-state.js'
import type { CallObserver, Invoke, Run } from '../core/compose.js'
import { traitsOf } from '../core/hooks.js'
import { hookApplicationOf } from '../core/host.js'
import { type Caller, type Carrier, caller, callerIn } from '../core/http-call.js'
import { checkArguments } from '../core/methods.js'
import { metaOf } from '../core/service-meta.js'
import { updateSent } from '../core/unsent-fields.js'
import { trackStream, untrackStreams } from './answer/streams.js'
import { explainSetting } from './errors/setting-error.js'
import { lazySignal, RestParams, routeOfTexts } from './request/arguments.js'

function rank(hook: AroundHook): number {
  const { isOutermost, isInnermost } = traitsOf(hook)
  return isOutermost ? 0 : isInnermost ? 2 : 1
}

/**
 * Watches over the calls of a server: their streams, their signal, and what a failed result leaves
 * behind.
 */
export const observer: CallObserver = {
  trace(run, service) {
    const facts = metaOf(service)
    return traced((context) => {
      const { awaitAfter } = facts
      return awaitAfter === undefined ? run(context) : run(context).then(() => awaitAfter(context))
    })
  },

  app: hookApplicationOf,

  check: checkArguments,

  arrange: (hooks) => hooks.sort((first, other) => rank(first) - rank(other)),

  lend(context, params) {
    // A URL gives texts.
    const route = params instanceof RestParams ? undefined : routeOfTexts(Object(params).route)
    if (route !== undefined) {
      // The setter calls this function again.
      context.params = { ...(params as Params), route }
      return
    }
    const noted = callStateOf(context)
    const httpCaller = callerIn(params) ?? noted.caller
    if (httpCaller === undefined) return
    noted.caller = httpCaller
    if (typeof params !== 'object' || params === null || 'signal' in params || !Object.isExtensible(params)) return
    ;(params as Carrier)[caller] = httpCaller.token
    Object.defineProperty(params, 'signal', lazySignal)
  },

  wrap(invoke, service) {
    const facts = metaOf(service)
    const invokeMethod: Invoke = (context) => {
      const { maySend } = callStateOf(context)
      return maySend === undefined ? invoke(context) : updateSent(context, maySend, invoke)
    }
    return (context) => {
      begin(context)
      const { interceptor } = facts
      return interceptor === undefined ? invokeMethod(context) : interceptor(context, invokeMethod)
    }
  },

  see(context) {
    const noted = callStateOf(context)
    const { result, dispatch } = context
    // Most hooks change neither.
    if (result !== noted.result) trackStream(result, context, callerOf(context, noted))
    if (dispatch !== noted.dispatch) trackStream(dispatch, context, callerOf(context, noted))
    noted.result = result
    noted.dispatch = dispatch
    const lost = noted.failed
    if (lost === undefined) return
    noted.failed = undefined
    // The dispatch of a result that failed is not that of the result that a hook has set instead.
    if (lost.result !== context.result && lost.dispatch === context.dispatch) context.dispatch = undefined
  },

  fail(context, error, running) {
    observer.see(context)
    const noted = callStateOf(context)
    if (running !== undefined) noted.abandoned = anySucceeds(running, noted.abandoned)
    noted.failed = { result: context.result, dispatch: context.dispatch }
    if (noted.http !== undefined) context.http = copyOf(noted.http)
    explainSetting(error, context)
  },

  end: (running, context) =>
    running.then(
      () => untrackStreams(context, false),
      (error) => {
        untrackStreams(context, true)
        throw error
      }
    )
}

/** Whether the rest of a call succeeds, or another part of it that was given up before. */
async function anySucceeds(running: Promise<void>, before: Promise<boolean> | undefined): Promise<boolean> {
  const hasSucceeded = await running.then(
    () => true,
    () => false
  )
  return (await before) || hasSucceeded
}

/** The method is about to run. @throws where nobody waits for its result any more */
export function begin(context: HookContext): void {
  const noted = callStateOf(context)
  // A signal that is enumerable was set by a hook, or by the caller of the service, and replaces
  // that of the request.
  const params: { signal?: AbortSignal } = Object(context.params)
  const signal = isEnumerable.call(params, 'signal') ? params.signal : undefined
  if (signal === undefined) noted.caller?.throwIfGone()
  else if (signal?.aborted) throw signal.reason
  noted.http = hasSome(context.http) ? copyOf(context.http) : none
}

/**
 * The caller of a call over HTTP. `undefined` for a call of the server, even if it passes on the
 * params of a call over HTTP.
 */
function callerOf(context: HookContext, { caller }: CallState): Caller | undefined {
  return caller?.context === context ? caller : undefined
}

const isEnumerable = Object.prototype.propertyIsEnumerable
const none: Http = {}
function hasSome(http: Http | undefined): boolean {
  for (const _ in http) return true
  return false
}
const copyOf = (http: Http | undefined): Http => ({ ...http, ...(http?.headers && { headers: { ...http.headers } }) })

const channel = tracingChannel<string, TracedCall>('fastify-services:call')
const { start, end, asyncStart, asyncEnd, error } = channel

// `channel.hasSubscribers` says the same, and takes twice as long.
const hasSubscribers = () =>
  start.hasSubscribers ||
  end.hasSubscribers ||
  asyncStart.hasSubscribers ||
  asyncEnd.hasSubscribers ||
  error.hasSubscribers

/** Publishes each call that a function runs, while there is a subscriber. */
export function traced(run: Run): Run {
  return (context) => (hasSubscribers() ? publish(context, run) : run(context))
}

function publish(context: HookContext, run: Run): Promise<void> {
  const { path, method } = context
  const { provider } = Object(context.params)
  const call = async () => {
    await run(context)
    return context.result
  }
  return channel.tracePromise(call, { path, method, provider, context }) as Promise<void>
}
