import { toActionLabel } from './labels.js'
import type { ExploredService, Operation } from './services.js'

/** A service in the list of all, or a group, with the services whose paths begin with its own. */
export interface ServiceNode {
  readonly path: string
  /** `undefined` for a group: no service has its path. */
  readonly service: ExploredService | undefined
  /** The path, without what it shares with the one above. */
  readonly label: string
  readonly inside: readonly ServiceNode[]
}

// A list of fewer is seen at once.
const leastForGroups = 12

/**
 * The services by their paths: `posts/:post/comments` is within `posts`. Many services get groups
 * by the first segments of their paths.
 */
export function toServiceTree(services: Iterable<ExploredService>): ServiceNode[] {
  type Growing = ServiceNode & { readonly inside: Growing[] }
  const all = [...services]
  const toNode = (path: string, service?: ExploredService): [string, Growing] => [
    path,
    { path, service, label: `/${path}`, inside: [] }
  ]
  const nodes = new Map(all.map((service) => toNode(service.path, service)))
  const groups = new Map(all.length < leastForGroups ? [] : sharedSegments(nodes.keys()).map((path) => toNode(path)))
  const roots = new Set<Growing>()
  for (const [path, node] of nodes) {
    const above = pathsAbove(path)
      .map((candidate) => nodes.get(candidate) ?? groups.get(candidate))
      .find((candidate) => candidate !== undefined)
    above?.inside.push({ ...node, label: path.slice(above.path.length) })
    // A group stands where the first of its services would.
    if (above === undefined || above.service === undefined) roots.add(above ?? node)
  }
  return [...roots]
}

/** The first segments that several paths have, and that are no path themselves. */
function sharedSegments(paths: Iterable<string>): string[] {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const [first = '', ...others] = path.split('/')
    counts.set(first, (counts.get(first) ?? 0) + (others.length > 0 ? 1 : Number.NaN))
  }
  return [...counts].filter(([, count]) => count > 1).map(([first]) => first)
}

/** The paths that a path goes on, the longest first: `a/b/c` has `a/b` and `a`. */
const pathsAbove = (path: string) => [...path.matchAll(/(?<=.)\//g)].map(({ index }) => path.slice(0, index)).reverse()

/** A service that somebody looks for, with those of its methods that fit. */
export interface ServiceMatch {
  readonly service: ExploredService
  readonly operations: readonly { readonly operation: Operation; readonly label: string }[]
}

/** The services and methods that have all words of a text. */
export function findServices(services: Iterable<ExploredService>, text: string): ServiceMatch[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (texts: readonly (string | undefined)[]) => {
    const all = texts.join(' ').toLowerCase()
    return words.every((word) => all.includes(word))
  }
  return [...services].flatMap((service) => {
    const operations = [...service.operations.values()]
      .filter(({ name, summary }) => has([service.path, name, summary, toActionLabel(name)]))
      .map((operation) => ({ operation, label: operation.summary }))
    const isMatch = has([service.path, service.description])
    return isMatch || operations.length > 0 ? [{ service, operations: isMatch ? [] : operations }] : []
  })
}

/**
 * The service that the page begins with: the first whose records may be read as it is, else the
 * first that has records, else the first.
 */
export function firstService(
  services: Iterable<ExploredService>,
  mayRead: (operation: Operation) => boolean
): ExploredService | undefined {
  const all = [...services]
  const lists = all.filter(({ operations, placeholders }) => operations.has('find') && placeholders.length === 0)
  return lists.find(({ operations }) => mayRead(operations.get('find') as Operation)) ?? lists[0] ?? all[0]
}
