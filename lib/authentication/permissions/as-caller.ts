import type { FastifyInstance } from 'fastify'
import type { HookContext } from '../../../types/fastify.js'
import { toServiceError } from '../../core/errors.js'
import { placeholdersIn } from '../../core/path.js'
import { isRecord } from './records.js'

/** Another service whose records a hook reads as the caller. */
export interface OtherService {
  get(id: string, params: object): Promise<unknown>
  /** Adapters of Feathers have it. */
  find(params: object): Promise<unknown>
}

/**
 * Looks up another service.
 * @param where the hook that needs it, for errors
 * @throws when it does not exist
 */
export function lookUpService(app: unknown, name: string, where: string): Partial<OtherService> {
  try {
    return (app as FastifyInstance).service<Partial<OtherService>>(name)
  } catch (cause) {
    throw new Error(`${where}: ${(cause as Error).message}`, { cause })
  }
}

/** @throws when the path of another service has a placeholder that the own path lacks */
export function checkPlaceholders(other: string, path: string, where: string): void {
  const missing = placeholdersIn(other).find((name) => !placeholdersIn(path).includes(name))
  if (missing !== undefined) throw new Error(`${where}: the path has no placeholder ':${missing}'`)
}

/**
 * Returns another service.
 * @param where the hook that needs it, for errors
 * @throws when it does not exist, or has no `get`
 */
export function otherServiceOf(app: unknown, name: string, where: string): OtherService {
  const service = lookUpService(app, name, where)
  if (service.get === undefined) throw new Error(`${where} needs a method 'get' of that service`)
  return service as OtherService
}

/** Gets a record of another service. Returns `undefined` if the caller may not see it. */
export async function getAsCaller(
  service: OtherService,
  id: string,
  params: HookContext['params']
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const record = await unlessRefused(service.get(id, { ...params, query: {} }))
  // A hand-written service may return nothing, or an empty list, for a missing record.
  return isRecord(record) && !Array.isArray(record) ? (record as Record<string, unknown>) : undefined
}

/**
 * Resolves to `undefined` if a call is refused. Callers who may not see a record must not learn that
 * it exists.
 */
export const unlessRefused = (call: Promise<unknown>, codes = [400, 403, 404, 405]): Promise<unknown> =>
  call.catch((error: unknown) => {
    if (!codes.includes(toServiceError(error).code)) throw error
  })
