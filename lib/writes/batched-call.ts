import { text } from 'node:stream/consumers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Response } from 'light-my-request'
import type { HookContext } from '../../types/hooks.js'
import type { Id } from '../../types/service.js'
import { type CallState, callStateOf } from '../core/call-state.js'
import { isJSON } from '../core/content.js'
import type { Describable } from '../core/description.js'
import { BadRequest, errorFromJSON, GeneralError, type ServiceError, toServiceError } from '../core/errors.js'
import { type Caller, readVerbs } from '../core/http-call.js'
import { custom, definitionOf } from '../core/methods.js'
import { isPlain } from '../core/objects.js'
import { fillPath, placeholdersIn } from '../core/path.js'
import { requestStateOf } from '../core/request-state.js'
import { credentialsOf, requestAs } from '../shared/caller-requests.js'
import { toTag } from './etag.js'

/** A call of a batch. The names are those of a call of the client. */
export interface BatchCall {
  /** The name of the service, as in the option `services`. */
  service: string
  /** A method that writes. */
  method: string
  id?: Id
  data?: unknown
  /** The values of the placeholders in the path. */
  route?: Readonly<Record<string, string | number>>
  /** The version of the record as it was read. */
  ifMatch?: string | number
}

/** The answer to a call of a batch. */
export interface BatchResult {
  status: number
  body: unknown
}

/** A call of a batch as a request to its route. */
interface RoutedCall {
  readonly index: number
  readonly verb: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. `undefined` for no body. */
  readonly body: string | undefined
}

/** Runs a call through its route, in a transaction. @throws {ServiceError} the error of its answer */
export type RunCall = (call: RoutedCall, caller: Caller, transaction: object) => Promise<BatchResult>

/**
 * @param services the services that a batch can call, by their names in its option
 * @throws {BadRequest} if there is no such service, the call only reads, or its arguments do not fit
 * its path
 */
export function toRoutedCall(call: BatchCall, index: number, services: ReadonlyMap<string, Describable>): RoutedCall {
  const { service, method, id, data, route, ifMatch } = call
  const entry = services.get(service)
  if (entry === undefined) throw new BadRequest(`A batch can't call this service`, { call: index })
  const definition = entry.methods.get(method)?.definition ?? definitionOf(method)
  const { verb, path, arguments: names } = definition
  try {
    if (readVerbs.has(verb)) throw new BadRequest(`'${method}' of '${service}' does not write: send it alone`)
    if (id !== undefined && !placeholdersIn(path).includes('id'))
      throw new BadRequest(`'${method}' of '${service}' takes no id`)
    const place = `of '${method}' of '${service}'`
    const parts = [fillPath(encodeURI(entry.path), route, place), fillPath(path, { ...route, id }, place)]
    const body = names.includes('data') && data !== undefined ? JSON.stringify(data) : undefined
    const tag = toTag(ifMatch)
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(definition === custom && { 'x-service-method': method }),
      ...(tag !== undefined && { 'if-match': tag })
    }
    return { index, verb, url: `/${parts.filter(Boolean).join('/')}`, headers, body }
  } catch (error) {
    // JSON.stringify() throws it.
    const isTooDeep = error instanceof RangeError
    throw withIndex(isTooDeep ? new BadRequest('The data is nested too deep') : toServiceError(error), index)
  }
}

/** Adds the index of its call to an error. */
function withIndex(error: ServiceError, call: number): ServiceError {
  const { data } = error
  return Object.assign(error, { data: { ...(isPlain(data) ? data : data !== undefined && { data }), call } })
}

/** Creates the function that runs calls. */
export function createRunner(app: FastifyInstance): RunCall {
  return async ({ index, verb, url, headers, body }, caller, transaction) => {
    caller.throwIfGone()
    const request = caller.request as FastifyRequest
    const call: { running?: Promise<void>; ended?: Promise<unknown>; state?: CallState } = {}
    const runInBatch = (context: HookContext, run: (context: HookContext) => Promise<void>): Promise<void> => {
      Object.assign(context.params, { transaction })
      const state = callStateOf(context)
      const running = run(context)
      // After a timeout of the route or of a hook, the call may still write.
      const ended = running.catch(() => {}).then(() => state.abandoned)
      Object.assign(call, { running, ended, state })
      return running
    }
    const done = new AbortController()
    try {
      const options = { method: verb as 'POST', url, headers, payloadAsStream: true, ...(body && { payload: body }) }
      const answer = await requestAs(credentialsOf(request), app, options, (raw, response) => {
        // Only this very request is part of the batch: nothing that a client sends can make it so.
        requestStateOf(raw).runInBatch = runInBatch
        caller.signal.addEventListener('abort', () => response.destroy(), { signal: done.signal })
      })
      const { statusCode: status } = answer
      const content = await readJSON(answer)
      if (status >= 400) throw errorFromJSON(status, content)
      if (call.running === undefined) throw new GeneralError(`${verb} ${url} was not answered by the service`)
      // The application may have answered a call that fails afterwards.
      await call.running
      if (call.state?.hasUndoneWork)
        throw new BadRequest('It has undone its changes, and a batch can only undo those of all calls: send it alone')
      return { status, body: content }
    } catch (error) {
      caller.throwIfGone()
      throw withIndex(toServiceError(error), index)
    } finally {
      done.abort()
      await call.ended
    }
  }
}

/**
 * Returns the content of an answer, `undefined` if an error has none of JSON.
 * @throws {BadRequest} if it is a stream or a file
 */
async function readJSON({ statusCode: status, headers, raw, stream }: Response): Promise<unknown> {
  const type = headers['content-type']
  if (isJSON(String(type))) return JSON.parse(await text(stream()))
  if (status < 400 && (status === 204 || headers['content-length'] === '0')) return null
  // It may be a stream that never ends.
  raw.res.destroy()
  if (status >= 400) return undefined
  throw new BadRequest(`It answers with ${type ?? 'a stream'}, and a batch takes only JSON: send it alone`)
}
