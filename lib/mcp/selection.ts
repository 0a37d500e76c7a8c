import type { FastifyInstance } from 'fastify'
import { type Describable, describe, type Form, type MethodDescription } from '../core/description.js'
import { attempt } from '../core/errors.js'
import { hintFor } from '../core/options.js'
import { joinPath } from '../core/path.js'
import { pluginState, serviceHostOf } from '../core/plugin-state.js'
import { isForLogins, metaOf } from '../core/service-meta.js'

/** A method that agents may call, for one record or for many. */
export interface SelectedMethod {
  /** The name in the option `services`: `books.find`, `books.patchMany`. */
  readonly name: string
  readonly entry: Describable
  readonly method: MethodDescription
  readonly form: Form
}

/** The methods that the name of a service stands for: none that removes or replaces a record. */
const usualMethods = ['find', 'get', 'create', 'patch']

/**
 * Returns the methods that the option `services` names, in its order.
 *
 * @throws {Error} if a name is unknown, or names a service that agents must not call as a whole
 */
export function selectMethods(app: FastifyInstance, names: readonly string[]): SelectedMethod[] {
  const all = serviceHostOf(app).entries.flatMap(listMethods)
  const selected = names.flatMap((name) => {
    const isNamed = (path: string) => [joinPath(app.prefix, name), joinPath(name)].includes(path)
    const exact = all.filter((candidate) => isNamed(candidate.name))
    if (exact.length > 0) return exact.slice(0, 1)
    const entry = serviceHostOf(app).entries.find(({ path }) => isNamed(path))
    if (entry === undefined) throw new Error(unknownMethod(name, all))
    return usualMethodsOf(app, name, entry, all)
  })
  return [...new Set(selected)]
}

/** Whether the records of a service are users or their API keys. */
function hasLogins(app: FastifyInstance, { service }: Describable): boolean {
  const { authentications = [] } = pluginState(app)
  return (
    metaOf(service).keyUsers !== undefined ||
    authentications.some(({ users }) => attempt<unknown>(() => users.service) === service)
  )
}

function usualMethodsOf(
  app: FastifyInstance,
  name: string,
  entry: Describable,
  all: readonly SelectedMethod[]
): SelectedMethod[] {
  if (isForLogins(entry.service)) throw new Error(`mcp can't offer '${name}': agents don't log in by tools`)
  if (metaOf(entry.object).isBatch)
    throw new Error(
      `mcp can't offer '${name}': name the methods that its calls have, so that users are asked about them`
    )
  if (hasLogins(app, entry))
    throw new Error(
      `mcp can't offer all of '${name}', which has the logins of users: name its methods, as in '${name}.get'`
    )
  const methods = all.filter(
    (one) => one.entry === entry && usualMethods.some((key) => one.name === `${entry.path}.${key}`)
  )
  if (methods.length > 0) return methods
  throw new Error(
    `mcp: '${name}' has none of the methods ${usualMethods.join(', ')}: name others, as in '${name}.remove'`
  )
}

/** Lists what can be named of a service, which is nothing for logins and batches. */
function listMethods(entry: Describable): SelectedMethod[] {
  if (isForLogins(entry.service) || metaOf(entry.object).isBatch) return []
  return describe(entry).methods.flatMap((method) => {
    const { name, forms } = method
    const ownName = `${entry.path}.${name}`
    // Clients may use either form of `create` at one URL, and so do custom methods with lists.
    const [single = forms[0]] = forms.filter(({ hasId }) => hasId)
    const many = name === 'find' || method.isCustom ? undefined : forms.find(({ isMany }) => isMany)
    return [
      ...(single === undefined ? [] : [{ name: ownName, entry, method, form: { ...single, isMany: name === 'find' } }]),
      ...(many === undefined || entry.exposed.includes(`${name}Many`)
        ? []
        : [{ name: `${ownName}Many`, entry, method, form: many }])
    ]
  })
}

function unknownMethod(name: string, all: readonly SelectedMethod[]): string {
  const paths = [...new Set(all.map(({ entry }) => entry.path))]
  const methods = all.map((candidate) => candidate.name)
  const known = methods.filter((method) => method.startsWith(`${name.slice(0, name.lastIndexOf('.'))}.`))
  const there = known.length > 0 ? `There are: ${known.join(', ')}` : `Services: ${paths.join(', ') || 'none'}`
  return `The option \`services\` of mcp names '${name}', which is no service and no method of one, as in 'posts' or 'posts.find'. ${there}${hintFor(name, [...paths, ...methods])}`
}
