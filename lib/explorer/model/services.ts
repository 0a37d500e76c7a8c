import { type FilterField, toFilterFields } from './filter-fields.js'
import {
  branchesWritten,
  createFollow,
  entriesOf,
  type Field,
  type Follow,
  fieldsOf,
  type Json,
  listOf,
  own,
  textOf
} from './schema.js'

/** A method of a service, as the document describes it. */
export interface Operation {
  readonly name: string
  readonly summary: string
  readonly description: string | undefined
  /** `POST /:id/publish`; `undefined` for a method that a header names. */
  readonly route: string | undefined
  readonly hasId: boolean
  readonly hasData: boolean
  readonly isCustom: boolean
  readonly isGuarded: boolean
  /** The placeholders that the path of its service has not. */
  readonly placeholders: readonly string[]
  readonly query: readonly FilterField[]
  /** The fields by which the answer can be sorted: `undefined` where it is any of them. */
  readonly sortable: readonly string[] | undefined
  readonly canSelect: boolean
  /** Whether a query may have a list of conditions, `$and`. */
  readonly canJoin: boolean
  /** What it takes: several forms, where there are several kinds of it. */
  readonly bodies: readonly (readonly Field[])[]
  readonly isForm: boolean
  /** The fields of a record that it answers. */
  readonly record: readonly Field[]
}

/** A service of the document. */
export interface ExploredService {
  /** The path, as the client knows it: `countries/:code/notes`. */
  readonly path: string
  readonly idField: string
  readonly description: string | undefined
  readonly placeholders: readonly string[]
  readonly operations: ReadonlyMap<string, Operation>
}

const six = ['find', 'get', 'create', 'update', 'patch', 'remove']

/** The services of a document by path: what its operations say in `x-service`. */
export function servicesIn(document: unknown): Map<string, ExploredService> {
  const follow = createFollow(document)
  const tags = listOf(own(document, 'tags'))
  const services = new Map<string, ExploredService & { operations: Map<string, Operation> }>()
  for (const [url, item] of entriesOf(own(document, 'paths')))
    for (const operation of entriesOf(item).flatMap(([, one]) => [one, ...headersIn(one)])) {
      const mark = own(operation, 'x-service')
      const [path, name] = [own(mark, 'path'), textOf(own(mark, 'method'))]
      if (typeof path !== 'string' || name === undefined) continue
      const route = textOf(own(mark, 'route'))
      const place = pathOf(url, route)
      const tag = tags.find((one) => own(one, 'name') === path)
      const service = services.get(place) ?? {
        path: place,
        idField: textOf(own(mark, 'id')) ?? 'id',
        description: descriptionOf(tag, path),
        placeholders: placeholdersOf(place),
        operations: new Map()
      }
      services.set(place, service)
      const known = service.operations.get(name)
      // Of those for one record and for many, that for one.
      if (!known?.hasId) service.operations.set(name, toOperation(name, route, operation as Json, follow))
    }
  return services
}

/** What an application says of a service; not what the document says where it says nothing. */
function descriptionOf(tag: unknown, path: string): string | undefined {
  const text = textOf(own(tag, 'description'))
  return text === `The service at \`/${path}\`.` ? undefined : text
}

/** The methods that a header names stand beside the one that has the place. */
const headersIn = (operation: unknown) => entriesOf(own(operation, 'x-service-methods')).map(([, one]) => one)

const placeholdersOf = (path: string) => [...path.matchAll(/(?:^|\/):(\w+)/g)].map(([, name]) => name as string)

/** The path of a service in the URL of one of its methods, which ends in its route. */
function pathOf(url: string, route = ''): string {
  const all = url
    .replace(/\{(\w+)\}/g, ':$1')
    .split('/')
    .filter(Boolean)
  const ofMethod = route.split('/').slice(1).filter(Boolean)
  return all.slice(0, all.length - ofMethod.length).join('/')
}

function toOperation(name: string, route: string | undefined, operation: Json, follow: Follow): Operation {
  const parameters = listOf(own(operation, 'parameters'))
    .map(follow)
    .filter((one) => own(one, 'in') === 'query')
  const query = toFilterFields(parameters, follow)
  const named = (key: string) => parameters.find((one) => own(one, 'name') === key)
  const sort = own(named('$sort'), 'schema')
  const sortable = fieldsOf(sort, follow).map((field) => field.name)
  const body = follow(own(operation, 'requestBody'))
  const [[type, media] = []] = entriesOf(own(body, 'content'))
  const placeholders = placeholdersOf(route ?? '')
  return {
    name,
    summary: textOf(own(operation, 'summary')) ?? name,
    description: textOf(own(operation, 'description')),
    route,
    hasId: placeholders.includes('id'),
    hasData: Object.hasOwn(operation, 'requestBody'),
    isCustom: !six.includes(name),
    isGuarded: listOf(own(operation, 'security')).length > 0,
    placeholders: placeholders.filter((one) => one !== 'id'),
    query,
    sortable: sort === undefined || sortable.length > 0 ? sortable : undefined,
    canSelect: named('$select') !== undefined,
    canJoin: named('$and') !== undefined,
    bodies: bodiesOf(own(media, 'schema'), follow),
    isForm: type === 'multipart/form-data',
    record: recordOf(operation, follow)
  }
}

/** The kinds of objects that a body may be. Lists of them are left to those who write JSON. */
function bodiesOf(schema: unknown, follow: Follow, depth = 0): Field[][] {
  const given = follow(schema)
  const branches = branchesWritten(given)
  if (branches.length > 0) return depth > 3 ? [] : branches.flatMap((branch) => bodiesOf(branch, follow, depth + 1))
  const fields = fieldsOf(given, follow)
  return fields.length === 0 ? [] : [fields]
}

/** The fields of what a method answers: of a record, or of those in a list or a page. */
function recordOf(operation: Json, follow: Follow): Field[] {
  const success = entriesOf(own(operation, 'responses')).find(([status]) => status.startsWith('2'))?.[1]
  const [media] = entriesOf(own(follow(success), 'content')).map(([, one]) => one)
  return recordIn(own(media, 'schema'), follow)
}

const ofPage = ['total', 'limit', 'skip', 'data']

function recordIn(schema: unknown, follow: Follow, depth = 0): Field[] {
  const given = follow(schema)
  const properties = own(given, 'properties')
  const isPage = ofPage.every((name) => own(properties, name) !== undefined)
  const list = isPage ? follow(own(properties, 'data')) : given
  const inner = [...branchesWritten(given), own(list, 'items')]
  const found = depth > 3 ? [] : inner.filter((one) => one !== undefined).map((one) => recordIn(one, follow, depth + 1))
  return found.find((fields) => fields.length > 0) ?? (isPage ? [] : fieldsOf(given, follow))
}
