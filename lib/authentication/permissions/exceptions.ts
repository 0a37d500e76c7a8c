import type { HookContext } from '../../../types/fastify.js'
import type { HookPosition } from '../../core/hooks.js'
import { methods } from '../../core/methods.js'
import { hintFor } from '../../core/options.js'
import { serviceHostOf } from '../../core/plugin-state.js'

/** Whether the option `except` of a hook names a call: by its service, its method, or both. */
export const isExcepted = (
  { path, method }: Pick<HookContext, 'path' | 'method'>,
  names: readonly string[] = []
): boolean => names.length > 0 && [path, `${path}.${method}`, method].some((name) => names.includes(name))

/**
 * Checks the option `except` of a hook. Services may share a hook, so it may name any service of
 * the application.
 * @param hookName the name of the function that has created the hook
 * @throws when the server starts, for a name of no service and of no method
 */
export function checkExceptions(hookName: string, names: readonly string[] = [], { app, path }: HookPosition): void {
  const { entries } = serviceHostOf(app)
  const isThere = (name: string) =>
    methods.has(name) ||
    entries.some(
      (entry) =>
        entry.path === name ||
        entry.methods.has(name) ||
        (name.startsWith(`${entry.path}.`) && entry.methods.has(name.slice(entry.path.length + 1)))
    )
  const unknown = names.find((name) => !isThere(name))
  if (unknown === undefined) return
  const paths = entries.flatMap((entry) => [
    entry.path,
    ...[...entry.methods.keys()].map((name) => `${entry.path}.${name}`)
  ])
  throw new Error(
    `${hookName} at '${path}': its option \`except\` names '${unknown}', which is no service and no method of one, as in 'posts', 'posts.find' or 'find'${hintFor(unknown, [...methodNamesOf(app), ...paths])}`
  )
}

/**
 * Checks names of methods. Services may share a hook, so any service of the application may have
 * them.
 * @param hookName the name of the function that has created the hook
 * @throws when the server starts, for a name that no service has
 */
export function checkMethodNames(hookName: string, names: readonly string[], { app, path }: HookPosition): void {
  const isThere = (name: string) =>
    methods.has(name) || serviceHostOf(app).entries.some((entry) => entry.methods.has(name))
  const unknown = names.find((name) => !isThere(name))
  if (unknown !== undefined)
    throw new Error(
      `${hookName} at '${path}' names '${unknown}', which is no method of a service${hintFor(unknown, methodNamesOf(app))}`
    )
}

const methodNamesOf = (app: unknown): readonly string[] => [
  ...methods.keys(),
  ...serviceHostOf(app).entries.flatMap((entry) => [...entry.methods.keys()])
]
