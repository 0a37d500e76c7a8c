import { isLoginService } from './login.js'
import type { Selection } from './query.js'
import type { ExploredService } from './services.js'

/**
 * The state in the URL of the page: a method of a service, and its request without the data.
 */
export interface Place extends Selection {
  readonly service: string
  readonly call: string
  readonly id: string | undefined
  /** The values of placeholders. */
  readonly route: ReadonlyMap<string, string>
}

export const listOfService = (service: string): Place => ({
  service,
  call: 'find',
  id: undefined,
  route: new Map(),
  filters: [],
  sort: undefined,
  limit: undefined,
  skip: 0,
  columns: []
})

/** The place of a record of a list. */
export const recordAt = ({ service, route }: Place, id: string): Place => ({
  ...listOfService(service),
  call: 'get',
  id,
  route
})

/**
 * Where a service begins: with its list, with the log-in, or with the first of its other methods.
 */
export function startOf(service: ExploredService): Place {
  const { path, operations } = service
  const place = listOfService(path)
  const [first = 'find'] = [...operations.values()].filter(({ hasId }) => !hasId).map(({ name }) => name)
  return operations.has('find') || isLoginService(service) ? place : { ...place, call: first }
}

const encodePath = (path: string) =>
  encodeURIComponent(path.replace(/\p{Surrogate}/gu, '\uFFFD'))
    .replaceAll('%2F', '/')
    .replaceAll('%3A', ':')

/** The place as the part of an address behind `#`. */
export function toHash(place: Place): string {
  const { service, call, id, route, filters, sort, limit, skip, columns } = place
  const pairs = [
    ...(call === 'find' ? [] : [['call', call]]),
    ...(id === undefined ? [] : [['id', id]]),
    ...[...route].map(([name, value]) => [`:${name}`, value]),
    // No operator has a dot, so that the last one ends the field.
    ...filters.map(({ field, operator, text }) => [`.${field}.${operator}`, text]),
    ...(sort === undefined ? [] : [[sort.direction === 1 ? 'asc' : 'desc', sort.field]]),
    ...(limit === undefined ? [] : [['limit', String(limit)]]),
    ...(skip === 0 ? [] : [['skip', String(skip)]]),
    ...columns.map((name) => ['column', name])
  ] as [string, string][]
  const query = new URLSearchParams(pairs).toString()
  return `#/${encodePath(service)}${query && `?${query}`}`
}

/** The place that a hash stands for: `undefined` where it is none. */
export function fromHash(hash: string): Place | undefined {
  const [, path, query] = /^#\/([^?]*)\??(.*)/s.exec(hash) ?? []
  const service = path === undefined ? undefined : decodeSegment(path)
  if (service === undefined) return undefined
  const pairs = [...new URLSearchParams(query)]
  const valueIn = (name: string) => pairs.find(([key]) => key === name)?.[1]
  const [asc, desc] = [valueIn('asc'), valueIn('desc')]
  return {
    service,
    call: valueIn('call') ?? 'find',
    id: valueIn('id'),
    route: new Map(pairs.filter(([key]) => key.startsWith(':')).map(([key, value]) => [key.slice(1), value])),
    filters: pairs
      .filter(([key]) => /^\..*\./s.test(key))
      .map(([key, text]) => {
        const end = key.lastIndexOf('.')
        return { field: key.slice(1, end), operator: key.slice(end + 1), text }
      }),
    sort: asc ? { field: asc, direction: 1 } : desc ? { field: desc, direction: -1 } : undefined,
    limit: toCount(valueIn('limit')),
    skip: toCount(valueIn('skip')) ?? 0,
    columns: pairs.filter(([key]) => key === 'column').map(([, value]) => value)
  }
}

const toCount = (text: string | undefined) => (text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined)

function decodeSegment(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
