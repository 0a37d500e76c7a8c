import type { HookContext } from '../../../types/fastify.js'

/** Whether names of services, of methods of services and of methods have a call among them. */
export const isLeftAlone = ({ path, method }: HookContext, names: readonly string[] = []): boolean =>
  names.length > 0 && [path, `${path}.${method}`, method].some((name) => names.includes(name))
