import type { HookPosition } from '../hooks.js'
import { entryOf } from '../plugin-state.js'
import { type MethodRules, rulesOf } from './method-rules.js'

/** Returns the rules of a method of a registered service, if a resource has created them. */
export const rulesAt = (position: Pick<HookPosition, 'app' | 'path'>, method: string): MethodRules | undefined =>
  rulesOf(entryOf(position)?.options.schema?.[method])
