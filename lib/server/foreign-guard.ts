import { foreignReaderFor, guardAdvice } from '../core/credentials.js'
import type { Place } from '../core/hooks.js'

// The guard has no name, nor anything else that tells it from other hooks, but this sentence is in no other.
const sentence = 'The authenticate hook must be used as a before hook'

/** Whether it is the guard of @feathersjs/authentication. */
export const isForeignGuard = (hook: unknown): boolean =>
  typeof hook === 'function' && Function.prototype.toString.call(hook).includes(sentence)

/**
 * Refuses the guard of @feathersjs/authentication at a service of ours: it asks for an authentication service of a Feathers application, and
 * would let nobody in where none is mounted. Nor can it be middleware, or a hook of a route; and after the call it comes too late, or not at
 * all.
 * @throws with the line to write instead
 */
export function refuseForeignGuard(hook: unknown, { app, path, type }: Place): void {
  const isHook = type === 'before' || type === 'around'
  if (!isForeignGuard(hook)) return
  if (isHook && foreignReaderFor(app as object)?.isThere()) return
  if (type !== undefined && !isHook)
    throw new Error(`authenticate at '${path}' is a hook for 'before' or 'around', not for '${type}'`)
  throw new Error(
    `authenticate at '${path}' is that of @feathersjs/authentication, which would let nobody in. ${guardAdvice}`
  )
}
