import type { FastifyInstance } from 'fastify'
import type { Response } from 'light-my-request'
import type { HookContext } from '../../types/hooks.js'
import { callStateOf } from '../core/call-state.js'
import { type Probe, rawStateOf, requestStateOf } from '../core/request-state.js'
import { type CallerCredentials, requestAs } from '../shared/caller-requests.js'

interface ProbeRequest {
  readonly url: string
  readonly credentials: CallerCredentials
  readonly signal?: AbortSignal | undefined
  /** The query as JSON, to send it by QUERY. */
  readonly body?: object | undefined
}

export const sendProbe = (
  app: FastifyInstance,
  probe: Probe,
  { url, credentials, signal, body }: ProbeRequest
): Promise<Response> =>
  requestAs(
    credentials,
    app,
    {
      method: body === undefined ? 'GET' : 'QUERY',
      url,
      headers: { accept: 'application/json' },
      ...(body && { payload: body }),
      ...(signal && { signal })
    },
    (raw) => {
      requestStateOf(raw).probe = probe
    }
  )

/**
 * Returns the probe that a call was made for, and records the params in it. Further calls that
 * hooks make with these params are ordinary calls.
 */
export function takeProbe(context: HookContext): Probe | undefined {
  const state = rawStateOf(context)
  const probe = state?.probe
  if (state === undefined || probe?.method !== context.method) return undefined
  state.probe = undefined
  probe.params = context.params as Probe['params']
  probe.path = context.path
  probe.fields = callStateOf(context).answeredFields
  probe.parentFields = callStateOf(context).parentFields
  return probe
}
