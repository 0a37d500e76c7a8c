import { type Describable, hooksAround } from '../core/description.js'
import { traitsOf } from '../core/hooks.js'
import { hintFor } from '../core/options.js'
import { declaredIn } from '../core/resource/method-rules.js'

/**
 * Checks that hooks of the service enforce the options of its custom methods. Without hooks,
 * `allow: ['admin']` would let everybody in.
 *
 * @throws if a method that clients may call lacks such a hook, or no hook knows one of its roles
 */
export function checkDeclaredMethods(entry: Describable): void {
  for (const [name, { allow, idempotency }] of declaredIn(entry.options.schema)) {
    if (!entry.exposed.includes(name)) continue
    const hooks = hooksAround(entry, name, ['around']).map(traitsOf)
    const option = (text: string) => `The resource of '${entry.path}' declares \`${text}\` for '${name}'`
    if (idempotency && !hooks.some(({ takesKeys }) => takesKeys !== undefined))
      throw new Error(`${option('idempotency')}, but no hook reads the key: add idempotency() to its around hooks`)
    if (allow === undefined) continue
    const roles = hooks.flatMap(({ rolesFor }) => rolesFor?.(entry, name) ?? [])
    if (roles.length === 0)
      throw new Error(`${option('allow')}, but no hook asks for a role: add allow({ … }) to its around hooks`)
    const unknown = allow.find((role) => !roles.includes(role))
    if (unknown === undefined) continue
    throw new Error(
      `${option('allow')} with the role '${unknown}', which no allow() there knows: ${[...new Set(roles)].join(', ')}${hintFor(unknown, roles)}`
    )
  }
}
