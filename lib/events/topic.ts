import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isUnchangedAdapter } from '../core/adapters/unchanged.js'
import { type Describable, describe } from '../core/description.js'
import { BadRequest, NotFound } from '../core/errors.js'
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
      throw new Error(`${pluginName} can't tell of '${path}': ${mounted.origin} answers for it itself`)
    if (!exposed.includes('find'))
      throw new Error(
        `${pluginName} can't tell of '${path}', which has no 'find' for clients: it would say who may hear`
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
  if (!isAdapter) return 'its `find` is not that of a database adapter of Feathers as it is'
  const { after, formatter } = options as { after?: unknown; formatter?: unknown }
  if (formatter !== undefined || [after ?? []].flat().length > 0)
    return 'middleware or a formatter may change its answers'
  const laterHook = [...common.added, ...hooks.added].find(
    ({ type, method, hook }) =>
      (type === 'after' || type === 'around') && (method === 'all' || method === 'find') && isOfApplication(hook)
  )
  return laterHook && `${nameOfHook(laterHook.hook)} (${laterHook.type}) may change what \`find\` answers`
}

/** A node of the tree of paths: the topics whose paths begin with the same segments. */
interface TopicNode {
  readonly fixed: Map<string, TopicNode>
  placeholder?: TopicNode
  topic?: Topic
}

/** Finds the topic of a URL path. */
export class TopicRouter {
  readonly #root: TopicNode = { fixed: new Map() }

  add(topic: Topic): void {
    let node = this.#root
    for (const segment of topic.path.split('/')) {
      const isPlaceholder = segment.startsWith(':')
      const next = (isPlaceholder ? node.placeholder : node.fixed.get(segment)) ?? { fixed: new Map() }
      if (isPlaceholder) node.placeholder = next
      else node.fixed.set(segment, next)
      node = next
    }
    node.topic = topic
  }

  /**
   * Finds the topic of a list. A client with the base URL `https://host/api` says `notes` for
   * `/api/notes`, so each prefix of the URL of the stream is tried as the base path.
   *
   * @param name the path of the list, as the client has sent it
   * @param streamPath the URL path of the stream
   * @returns the topic, and the URL path of the list
   * @throws {NotFound} if no topic has this path
   * @throws {BadRequest} if it can't be the path of a URL
   */
  find(name: string, streamPath: string): { readonly topic: Topic; readonly path: string } {
    const segments = streamPath.split('/')
    for (const [length] of segments.entries()) {
      const path = [...segments.slice(0, length), name].join('/')
      const topic = this.#at(path)
      if (topic !== undefined) return { topic, path }
    }
    throw new NotFound(`There are no events of '${name.slice(0, 100)}'`)
  }

  #at(path: string): Topic | undefined {
    const segments = path.split('/')
    if (!segments.every(isSegment)) throw new BadRequest('The path of a list is none of a URL')
    return topicAt(this.#root, segments)
  }
}

/** Returns the topic at a path. As in the router, a fixed segment wins over a placeholder. */
function topicAt(node: TopicNode | undefined, segments: readonly string[], depth = 0): Topic | undefined {
  const segment = segments[depth]
  if (node === undefined || segment === undefined) return node?.topic
  const next = depth + 1
  return topicAt(node.fixed.get(segment), segments, next) ?? topicAt(node.placeholder, segments, next)
}

/** Whether a text can be a segment of a URL path without further encoding. */
function isSegment(segment: string): boolean {
  if (!/^[\w.~!$&'()*+,;=:@%-]{1,500}$/.test(segment) || /^\.\.?$|%(?![\da-f]{2})/i.test(segment)) return false
  return !/^(\.|%2e){1,2}$/i.test(segment)
}
