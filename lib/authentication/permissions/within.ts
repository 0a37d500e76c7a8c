import type { AroundHook, HookContext } from '../../../types/fastify.js'
import { idFieldOf } from '../../core/adapters/feathers.js'
import { callStateOf } from '../../core/call-state.js'
import { NotFound } from '../../core/errors.js'
import { checkNamedFields } from '../../core/field-names.js'
import type { HookPosition, HookTraits } from '../../core/hooks.js'
import { forbidAsHook, traitsOf, withTraits } from '../../core/hooks.js'
import { checkOptions, inspect, kinds, type OptionTable } from '../../core/options.js'
import { placeholdersIn } from '../../core/path.js'
import { getAsCaller, otherServiceOf } from './as-caller.js'
import { checkExceptions, isExcepted } from './exceptions.js'
import { createScope, type ScopeOptions, scopeOptions } from './scope.js'

/** Options of `within()`. */
export interface WithinOptions extends ScopeOptions {
  /** The placeholder of the path with the id. Default: the one behind the name of the service. */
  param?: string
  /**
   * The field of a record with the id. Default: the name of the placeholder. `null`: only checks
   * that the caller may see the parent record.
   */
  field?: string | null
}

const withinOptions: OptionTable<WithinOptions> = {
  ...scopeOptions,
  param: kinds.filled,
  field: ['the name of a field, or null', (value) => value === null || kinds.filled[1](value)]
}

/**
 * Creates a `scope` of the records that belong to a record of another service, which the path
 * names: `projects/:projectId/issues`. Each call gets the parent record as the caller would, even
 * if the option `except` names the call.
 *
 * @param parent the name of the other service
 * @returns a hook for `around`; it throws NotFound if the caller may not see the parent record, or
 * it does not exist
 * @throws when no service is named, and as `scope` does; when the server starts, if the path has no
 * such placeholder, the other service does not exist, or it has no `get`
 * @example
 * const service = app.service('projects/:projectId/issues', issues)
 * service.hooks({ around: { all: [within('projects')] } })
 */
export function within(parent: string, options: WithinOptions = {}): AroundHook {
  if (!kinds.filled[1](parent))
    throw new TypeError(`within needs the name of the other service: within('projects'), got ${inspect(parent)}`)
  checkOptions('within()', withinOptions, options)
  const { param, field, except = [], ...rest } = options
  const placeholderIn = (path: string) => param ?? new RegExp(`(?:^|/)${toPatternText(parent)}/:(\\w+)`).exec(path)?.[1]
  const fieldsOf = async (context: HookContext) => {
    const placeholder = placeholderIn(context.path) as string
    const state = callStateOf(context)
    const { authenticated } = context.params
    // A question about another method has the same parent as the call itself.
    if (state.parent?.rule !== hook || state.parent.isLoggedIn !== authenticated)
      state.parent = { rule: hook, isLoggedIn: authenticated, id: await parentId(context, parent, placeholder) }
    const { id } = state.parent
    if (field === null || (except.length > 0 && isExcepted(context, except))) return true
    const name = field ?? placeholder
    // The parent record belongs to the placeholders before it.
    const placeholders = [...placeholdersIn(parent), placeholder].map((key) => [key, name])
    state.parentFields = { ...state.parentFields, ...Object.fromEntries(placeholders) }
    return { [name]: id }
  }
  const hook: AroundHook = createScope('within', fieldsOf, rest)
  const { check, describeAccess } = traitsOf(hook) as Required<HookTraits>
  const checkPath = (position: HookPosition) => {
    check(position)
    checkExceptions('within', except, position)
    const { app, path } = position
    parentOf(app, parent, path)
    const placeholder = placeholderIn(path)
    if (placeholder === undefined || !path.includes(`:${placeholder}`))
      throw new Error(
        `within('${parent}') at '${path}': the path has no placeholder for it, as in '${parent}/:id/${path}'. Name one in the option \`param\``
      )
    if (field !== null)
      checkNamedFields(hook, { who: 'within', fields: [field ?? placeholder], where: 'stored' }, position)
  }
  const accessOf = (position: HookPosition, method: string) =>
    isExcepted({ path: position.path, method }, except) ? undefined : describeAccess(position, method)
  return withTraits(hook, { ...traitsOf(hook), check: checkPath, describeAccess: accessOf })
}

forbidAsHook(within, "within('projects')")

/** Returns the id of the parent record, in the type that its service returns. */
async function parentId(
  { app, params, path }: HookContext,
  parent: string,
  placeholder: string
): Promise<string | number> {
  const id = String(Object(params.route)[placeholder])
  const service = parentOf(app, parent, path)
  const { [placeholder]: _, ...route } = Object(params.route)
  const record = await getAsCaller(service, id, { ...params, route })
  if (record === undefined) throw new NotFound(`No record found for id '${id}'`)
  return Object(record)[idFieldOf(service)] ?? id
}

const parentOf = (app: unknown, parent: string, path: string) =>
  otherServiceOf(app, parent, `within('${parent}') at '${path}'`)

const toPatternText = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
