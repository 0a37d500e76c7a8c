import type { FastifyInstance } from 'fastify'
import type { AroundHook, HookContext } from '../../../types/fastify.js'
import { idFieldOf } from '../../core/description.js'
import { GeneralError, NotFound, toServiceError } from '../../core/errors.js'
import type { HookPosition } from '../../core/hooks.js'
import { traitsOf, withTraits } from '../../core/hooks.js'
import { type ScopeOptions, scope } from './scope.js'

export interface WithinOptions extends ScopeOptions {
  /** The placeholder of the path that holds the id. Default: the one behind the name of the service. */
  param?: string
  /** The field of a record that holds the id. Default: the name of the placeholder. `null`: the caller must see the other record, no more. */
  field?: string | null
}

/**
 * A `scope` of the records that belong to a record of another service, which the path names: `projects/:projectId/issues`. The other record is
 * asked for as the caller would, once for each call.
 *
 * @param parent the name of the other service
 * @returns a hook for `around`; it throws NotFound where the caller may not see the other record, or it is not there
 * @throws when the server starts, if the path has no such placeholder
 * @example
 * app.service('projects/:projectId/issues', issues).hooks({ around: { all: [within('projects')] } })
 */
export function within(parent: string, { param, field, ...options }: WithinOptions = {}): AroundHook {
  const placeholderIn = (path: string) => param ?? new RegExp(`(?:^|/)${toPatternText(parent)}/:(\\w+)`).exec(path)?.[1]
  const hook = scope(async (context) => {
    const placeholder = placeholderIn(context.path) as string
    const id = await parentId(context, parent, placeholder)
    return field === null ? true : { [field ?? placeholder]: id }
  }, options)
  const { check } = traitsOf(hook)
  const checkPath = (position: HookPosition) => {
    check?.(position)
    const { path } = position
    const placeholder = placeholderIn(path)
    if (placeholder === undefined || !path.includes(`:${placeholder}`))
      throw new Error(
        `within('${parent}') at '${path}': the path has no placeholder for it, as in '${parent}/:id/${path}'. Name one in the option \`param\``
      )
  }
  return withTraits(hook, { ...traitsOf(hook), check: checkPath })
}

/** The id of the other record, in the type that its service gives. */
async function parentId({ app, params }: HookContext, parent: string, placeholder: string) {
  const id = String(Object(params.route)[placeholder])
  const service = (app as unknown as FastifyInstance).service<Record<string, (...args: unknown[]) => Promise<unknown>>>(
    parent
  )
  const { [placeholder]: _, ...route } = Object(params.route)
  const { get } = service
  if (get === undefined) throw new GeneralError(`within('${parent}') needs a method 'get' of that service`)
  const record = await get.call(service, id, { ...params, query: {}, route }).catch((error: unknown) => {
    // Whoever may not see the record is not told that it is there.
    const isHidden = [400, 403, 404, 405].includes(toServiceError(error).code)
    throw isHidden ? new NotFound(`No record found for id '${id}'`) : error
  })
  return Object(record)[idFieldOf(service)] ?? id
}

const toPatternText = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
