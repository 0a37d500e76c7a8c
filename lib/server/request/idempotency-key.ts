import { type Describable, hooksAround } from '../../core/description.js'
import { BadRequest } from '../../core/errors.js'
import { traitsOf } from '../../core/hooks.js'

/**
 * Refuses an `Idempotency-Key` that no hook would read, because its sender relies on it. Services
 * without such a hook leave the header to the application.
 *
 * @throws {BadRequest} if the service takes keys, but not for this method
 */
export function refuseUnreadKey(entry: Describable, method: string, verb: string): void {
  const hooksOf = (name: string) => hooksAround(entry, name, ['around']).map(traitsOf)
  if (hooksOf(method).some(({ takesKeys }) => takesKeys?.(entry, method, verb))) return
  if (!entry.exposed.some((name) => hooksOf(name).some(({ takesKeys }) => takesKeys !== undefined))) return
  throw new BadRequest(`'${method}' of '${entry.path}' takes no Idempotency-Key`)
}
