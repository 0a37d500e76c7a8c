import { toActionLabel } from './labels.js'
import type { ExploredService, Operation } from './services.js'

/** A service in the list of all, with those whose paths begin with its own. */
export interface ServiceNode {
  readonly service: ExploredService
  /** The path, without what it shares with the one above. */
  readonly label: string
  readonly inside: readonly ServiceNode[]
}

/** The services by their paths: `posts/:post/comments` stands within `posts`. */
export function toServiceTree(services: Iterable<ExploredService>): ServiceNode[] {
  const all = [...services]
  const aboveOf = ({ path }: ExploredService): ExploredService | undefined =>
    all
      .filter((other) => other.path !== '' && path.startsWith(`${other.path}/`))
      .sort((a, b) => b.path.length - a.path.length)[0]
  const below = (above: ExploredService | undefined): ServiceNode[] =>
    all
      .filter((service) => aboveOf(service) === above)
      .map((service) => ({
        service,
        label: above === undefined ? `/${service.path}` : service.path.slice(above.path.length),
        inside: below(service)
      }))
  return below(undefined)
}

/** A service that somebody looks for, with those of its methods that fit. */
interface ServiceMatch {
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
