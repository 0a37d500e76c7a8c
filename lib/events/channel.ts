import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { type Describable, describe } from '../core/description.js'
import { traitsOf } from '../core/hooks.js'
import { metaOf } from '../core/service-meta.js'
import { isUnchangedAdapter } from './feathers-adapter.js'
import { doorName, type ServiceEvents } from './options.js'

/** A service that is told of. */
export class Channel {
  readonly path: string
  readonly entry: Describable
  readonly settings: ServiceEvents
  readonly idField: string
  /** Why nobody knows which records a list has. `undefined` where its query says it. */
  readonly doubt: string | undefined
  /** Whether events carry records. */
  readonly hasRecords: boolean
  /** Whether its lists can be asked for by QUERY. */
  readonly takesQuery: boolean
  readonly #isPaged: boolean | undefined

  /** @throws where the service has no lists, or another framework answers for it */
  constructor(entry: Describable, settings: ServiceEvents) {
    const { path, object, exposed, app } = entry
    const { mounted } = metaOf(object)
    if (mounted?.forwarder !== undefined)
      throw new Error(`${doorName} can't tell of '${path}': ${mounted.origin} answers for it itself`)
    if (!exposed.includes('find'))
      throw new Error(`${doorName} can't tell of '${path}', which has no 'find' for clients: it would say who may hear`)
    this.path = path
    this.entry = entry
    this.settings = settings
    const { idField, isPaged, methods } = describe(entry)
    this.idField = idField
    this.#isPaged = isPaged
    this.doubt = settings.rule === 'hooks' ? undefined : reasonToRefetch(entry)
    this.hasRecords = settings.records === true && exposed.includes('get')
    if (settings.records === true && !this.hasRecords)
      throw new Error(`${doorName} can't send records of '${path}', which has no 'get' for clients`)
    const isKnownVerb = METHODS.includes('QUERY') && (app as FastifyInstance).supportedMethods.includes('QUERY')
    this.takesQuery = isKnownVerb && mounted === undefined
    // What does not leave by `find` does not leave here.
    this.hidesId = methods.find(({ name }) => name === 'find')?.hidden.includes(idField) === true
  }

  readonly hidesId: boolean

  get isRuleKnown(): boolean {
    return this.doubt === undefined && !this.hidesId
  }

  /**
   * The answer of a `find` that has found nothing. Where it is not known whether the service
   * answers pages, it is a list and a page.
   */
  readonly emptyAnswer = (): unknown => {
    const page = { total: 0, limit: 0, skip: 0, data: [] }
    if (this.#isPaged === true) return page
    return this.#isPaged === false ? [] : Object.assign([], page)
  }
}

const isOfUser = (hook: unknown) => Object.keys(traitsOf(hook)).length === 0
const nameOfHook = (hook: unknown) => (hook as { name?: string }).name || 'a hook'

/** Returns why clients must refetch a list: other code than the query may decide what `find` returns. */
function reasonToRefetch(entry: Describable): string | undefined {
  const { object, common, hooks, options } = entry
  if (metaOf(object).mounted !== undefined) return 'it belongs to another application, with hooks of its own'
  if (!isUnchangedAdapter(object)) return 'its `find` is not that of a database adapter of Feathers as it is'
  const { after, formatter } = options as { after?: unknown; formatter?: unknown }
  if (formatter !== undefined || [after ?? []].flat().length > 0)
    return 'middleware or a formatter may change its answers'
  const later = [...common.added, ...hooks.added].find(
    ({ type, method, hook }) =>
      (type === 'after' || type === 'around') && (method === 'all' || method === 'find') && isOfUser(hook)
  )
  return later && `${nameOfHook(later.hook)} (${later.type}) may change what \`find\` answers`
}
