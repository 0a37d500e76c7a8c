import type { HookContext, Http } from '../../types/hooks.js'
import { type CallState, callStateOf } from '../core/call-state.js'
import type { Caller } from '../core/http-call.js'
import { trackStream, untrackStreams } from './answer/streams.js'
import { explainGetInHook } from './errors/explain-get.js'

/** Keeps `context.http` as it is before the method runs: later changes belong to its result. */
export function keepHttp(context: HookContext): void {
  callStateOf(context).http = hasSome(context.http) ? copyOf(context.http) : noHttp
}

/** Tracks the streams in the result and the dispatch of a call. Most hooks change neither. */
export function trackResult(context: HookContext): void {
  const state = callStateOf(context)
  const { result, dispatch } = context
  if (result !== state.result) trackStream(result, context, ownCaller(context, state))
  if (dispatch !== state.dispatch) trackStream(dispatch, context, ownCaller(context, state))
  state.result = result
  state.dispatch = dispatch
  const lost = state.failed
  if (lost === undefined) return
  state.failed = undefined
  // The dispatch of a failed result does not belong to the result that a hook has set instead.
  if (lost.result !== context.result && lost.dispatch === context.dispatch) context.dispatch = undefined
}

/** Restores `context.http`, which may describe the result that is lost, when a hook has failed. */
export function trackFailure(context: HookContext, error: unknown, running?: Promise<void>): void {
  trackResult(context)
  const state = callStateOf(context)
  if (running !== undefined) state.abandoned = anySucceeds(running, state.abandoned)
  state.failed = { result: context.result, dispatch: context.dispatch }
  if (state.http !== undefined) context.http = copyOf(state.http)
  explainGetInHook(error, context)
}

/** Waits for a call by `app.service()`: its caller owns its streams, unless it has failed. */
export const untrackAfter = (running: Promise<void>, context: HookContext): Promise<void> =>
  running.then(
    () => untrackStreams(context, false),
    (error) => {
      untrackStreams(context, true)
      throw error
    }
  )

/** Whether the rest of a call succeeds, or another part of it that was abandoned before. */
async function anySucceeds(running: Promise<void>, before: Promise<boolean> | undefined): Promise<boolean> {
  const hasSucceeded = await running.then(
    () => true,
    () => false
  )
  return (await before) || hasSucceeded
}

/**
 * The caller of a call over HTTP. `undefined` for a call of the server, even if it passes on the
 * params of a call over HTTP.
 */
function ownCaller(context: HookContext, { caller }: CallState): Caller | undefined {
  return caller?.context === context ? caller : undefined
}

const noHttp: Http = {}
function hasSome(http: Http | undefined): boolean {
  for (const _ in http) return true
  return false
}
const copyOf = (http: Http | undefined): Http => ({ ...http, ...(http?.headers && { headers: { ...http.headers } }) })
