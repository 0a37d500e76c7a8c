import type { HookPosition } from '../hooks.js'
import { type ServiceHost, serviceHostOf } from '../plugin-state.js'
import { type MethodRules, rulesOf } from './method-rules.js'

/** Returns the rules of a method of a registered service, if a resource has created them. */
export function rulesAt({ app, path }: Pick<HookPosition, 'app' | 'path'>, method: string): MethodRules | undefined {
  // A mounted service has the application of Feathers, where nothing is declared.
  const host: ServiceHost | undefined = serviceHostOf(app)
  return rulesOf(host?.entryAt(path)?.options.schema?.[method])
}
