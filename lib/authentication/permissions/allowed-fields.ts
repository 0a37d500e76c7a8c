import { idFieldOf } from '../../core/adapters/feathers.js'
import { hooksAround } from '../../core/description.js'
import { parametersOf, shapesOf } from '../../core/field-names.js'
import type { HookPosition } from '../../core/hooks.js'
import { hintFor } from '../../core/options.js'
import { serviceHostOf } from '../../core/plugin-state.js'

/** The fields that a role is allowed by a method. */
export interface FieldList {
  readonly role: string
  readonly method: string
  readonly fields: readonly string[]
}

/**
 * Checks that the resource of a service has the fields that `allow` names. Services may share the
 * hook, so any service whose method runs it may have them.
 *
 * @throws for a name that none of these services has, and that is misspelt therefore
 */
export function checkFieldNames(hook: unknown, lists: readonly FieldList[], { app, path }: HookPosition): void {
  const { entries } = serviceHostOf(app)
  for (const { role, method, fields } of lists) {
    const shared = entries.filter(
      (entry) => entry.methods.has(method) && hooksAround(entry, method, ['around']).includes(hook)
    )
    const shapes = shared.map((entry) => shapesOf(entry, method))
    // A service without a resource may have any field.
    if (shared.length === 0 || shapes.some((shape) => shape === undefined)) continue
    const known = shapes.flatMap((shape) => shape ?? [])
    const others = shared.flatMap((entry) => [idFieldOf(entry.object), ...(parametersOf(entry, method) ?? [])])
    const unknown = fields.find((name) => !others.includes(name) && !known.some((shape) => shape.field(name).isKnown))
    if (unknown === undefined) continue
    const names = [...new Set([...others, ...known.flatMap((shape) => shape.names)])]
    throw new Error(
      `allow at '${path}' names the field '${unknown}' for '${method}' of the role '${role}', which no schema there has${hintFor(unknown, names)}`
    )
  }
}
