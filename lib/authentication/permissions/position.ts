import type { HookContext } from '../../../types/fastify.js'
import type { HookPosition } from '../../core/hooks.js'

/** Makes the check of a hook that must stand around a method. @throws when the server starts, where it does not */
export const aroundOnly =
  (name: string) =>
  ({ path, type }: HookPosition): void => {
    if (type !== 'around') throw new Error(`${name} at '${path}' is a hook for 'around', not for '${type}'`)
  }

/** Whether names of services, of methods of services and of methods have a call among them. */
export const isLeftAlone = ({ path, method }: HookContext, names: readonly string[] = []): boolean =>
  names.length > 0 && [path, `${path}.${method}`, method].some((name) => names.includes(name))
