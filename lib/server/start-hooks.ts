import type { HookType } from '../../types/hooks.js'
import { type Checked, type HookStore, onStart, type Place } from '../core/hooks.js'

/**
 * Asks the hooks of a service, and the middleware that stands before it, whether they can work at their place.
 * @throws what one of them throws
 */
export function startHooks(place: Place, stores: readonly HookStore[], middleware: readonly Checked[]): void {
  for (const { registered } of stores)
    for (const [type, byMethod] of Object.entries(registered) as [HookType, Map<string, Checked[]>][])
      for (const hook of [...byMethod.values()].flat()) hook[onStart]?.({ ...place, type })
  for (const one of middleware) one[onStart]?.(place)
}
