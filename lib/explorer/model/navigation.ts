import { toActionLabel } from './labels.js'
import type { ExploredService, Operation } from './services.js'

/** A service in the list of all, with those whose paths begin with its own. */
export interface ServiceNode {
  readonly service: ExploredService
  /** The path, without what it shares with the one above. */
  readonly label: string
  readonly inside: readonly ServiceNode[]
}

/** The services by their paths: `posts/:post/comments` is within `posts`. */
export function toServiceTree(services: Iterable<ExploredService>): ServiceNode[] {
  type Growing = ServiceNode & { readonly inside: Growing[] }
  const nodes = new Map(
    [...services].map((service): [string, Growing] => [
      service.path,
      { service, label: `/${service.path}`, inside: [] }
    ])
  )
  const roots: Growing[] = []
  for (const [path, node] of nodes) {
    const above = pathsAbove(path).find((candidate) => nodes.has(candidate))
    if (above === undefined) roots.push(node)
    else nodes.get(above)?.inside.push({ ...node, label: path.slice(above.length) })
  }
  return roots
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
