import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isUnchangedAdapter } from '../core/adapters/unchanged.js'
import { type Describable, describe } from '../core/description.js'
import { traitsOf } from '../core/hooks.js'
import { metaOf } from '../core/service-meta.js'
import { pluginName, type ServiceEvents } from './options.js'

/** A service whose events are published. */
export class Topic {
  readonly path: string
  readonly entry: Describable
  readonly settings: ServiceEvents
  readonly idField: string
  /**
   * Why subscribers only learn that something may have changed, and must refetch. `undefined` if
   * the query of `find` decides which records a list has.
   */
  readonly reasonToRefetch: string | undefined
  /** Whether it is a database adapter of Feathers of which nothing is overridden. */
  readonly isUnchangedAdapter: boolean
  /** Whether events carry records. */
  readonly hasRecords: boolean
  /** Whether its lists can be requested by QUERY. */
  readonly takesQuery: boolean
  readonly #hidesId: boolean
  readonly #isPaged: boolean | undefined

  /** @throws {Error} if clients can't `find`, or another framework answers for the service */
  constructor(entry: Describable, settings: ServiceEvents) {
    const { path, object, exposed, app } = entry
    const { mounted } = metaOf(object)
    if (mounted?.forwarder !== undefined)
      throw new Error(`${pluginName} can't send events of '${path}': ${mounted.origin} answers its requests itself`)
    if (!exposed.includes('find'))
      throw new Error(
        `${pluginName} can't send events of '${path}': it has no 'find' for clients, which decides who gets them`
      )
    this.path = path
    this.entry = entry
    this.settings = settings
    const { idField, isPaged, methods } = describe(entry)
    this.idField = idField
    this.#isPaged = isPaged
    this.isUnchangedAdapter = isUnchangedAdapter(object)
    this.reasonToRefetch = settings.rule === 'hooks' ? undefined : reasonToRefetch(entry, this.isUnchangedAdapter)
    this.hasRecords = settings.records === true && exposed.includes('get')
    if (settings.records === true && !this.hasRecords)
      throw new Error(`${pluginName} can't send records of '${path}', which has no 'get' for clients`)
    const isKnownVerb = METHODS.includes('QUERY') && (app as FastifyInstance).supportedMethods.includes('QUERY')
    this.takesQuery = isKnownVerb && mounted === undefined
    this.#hidesId = methods.find(({ name }) => name === 'find')?.hidden.includes(idField) === true
  }

  /** Whether events may name records. An id that `find` hides is hidden here, too. */
  get sendsIds(): boolean {
    return this.reasonToRefetch === undefined && !this.#hidesId
  }

  /** Returns the result of an empty `find`: a list and a page at once if either is possible. */
  readonly emptyResult = (): unknown => {
    const page = { total: 0, limit: 0, skip: 0, data: [] }
    if (this.#isPaged === true) return page
    return this.#isPaged === false ? [] : Object.assign([], page)
  }
}

const isOfApplication = (hook: unknown) => Object.keys(traitsOf(hook)).length === 0
const nameOfHook = (hook: unknown) => (hook as { name?: string }).name || 'a hook'

/** Names the code, besides the query of `find`, that may decide which records a list has. */
function reasonToRefetch(entry: Describable, isAdapter: boolean): string | undefined {
  const { object, common, hooks, options } = entry
  if (metaOf(object).mounted !== undefined) return 'it belongs to another application, with hooks of its own'
  if (!isAdapter) return 'its `find` is not the unchanged one of a database adapter of Feathers'
  const { after, formatter } = options as { after?: unknown; formatter?: unknown }
  if (formatter !== undefined || [after ?? []].flat().length > 0)
    return 'middleware or a formatter may change its answers'
  const laterHook = [...common.added, ...hooks.added].find(
    ({ type, method, hook }) =>
      (type === 'after' || type === 'around') && (method === 'all' || method === 'find') && isOfApplication(hook)
  )
  return laterHook && `${nameOfHook(laterHook.hook)} (${laterHook.type}) may change what \`find\` answers`
}
