import { type FilterField, toFilterFields } from './filter-fields.js'
import { asList, entriesOf, type Json, propertyOf, textOf } from './json.js'
import { branchesWritten, createFollow, type Field, type Follow, fieldsOf } from './schema.js'

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
  /** Whether it also answers with the events of its list, as they come. */
  readonly canListen: boolean
  /** The placeholders that the path of its service has not. */
  readonly placeholders: readonly string[]
  readonly query: readonly FilterField[]
  /** The fields by which the answer can be sorted: `undefined` where it is any of them. */
  readonly sortable: readonly string[] | undefined
  readonly canSelect: boolean
  /** Whether records can say what their caller may do. */
  readonly tellsMay: boolean
  /** Whether a query may have a list of conditions, `$and`. */
  readonly canJoin: boolean
  /** The fields of its body: one list for each branch of a union. */
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
  /** The methods that take many records, without an id. */
  readonly many: ReadonlyMap<string, Operation>
}

const six = ['find', 'get', 'create', 'update', 'patch', 'remove']

/** The services of a document by path: what its operations say in `x-service`. */
export function servicesIn(document: unknown): Map<string, ExploredService> {
  const follow = createFollow(document)
  const tags = new Map(
    asList(propertyOf(document, 'tags'))
      .toReversed()
      .map((tag) => [propertyOf(tag, 'name'), tag])
  )
  type Growing = ExploredService & { operations: Map<string, Operation>; many: Map<string, Operation> }
  const services = new Map<string, Growing>()
  for (const [url, item] of entriesOf(propertyOf(document, 'paths')))
    for (const operation of entriesOf(item).flatMap(([, operationByVerb]) => [
      operationByVerb,
      ...headersIn(operationByVerb)
    ])) {
      const mark = propertyOf(operation, 'x-service')
      const [path, name] = [propertyOf(mark, 'path'), textOf(propertyOf(mark, 'method'))]
      if (typeof path !== 'string' || name === undefined) continue
      const route = textOf(propertyOf(mark, 'route'))
      const place = routePath(url, route)
      const service = services.get(place) ?? {
        path: place,
        idField: textOf(propertyOf(mark, 'id')) ?? 'id',
        description: descriptionOf(tags.get(path), path),
        placeholders: placeholdersOf(place),
        operations: new Map(),
        many: new Map()
      }
      services.set(place, service)
      const earlierOperation = service.operations.get(name)
      // A method that takes a record or many is shown by its operation for a record.
      const described = readOperation(name, route, operation as Json, follow)
      if (!earlierOperation?.hasId) service.operations.set(name, described)
      if (['patch', 'remove'].includes(name) && !described.hasId) service.many.set(name, described)
    }
  return services
}

/** Returns the description of a service, unless it is the generated default. */
function descriptionOf(tag: unknown, path: string): string | undefined {
  const text = textOf(propertyOf(tag, 'description'))
  return text === `The service at \`/${path}\`.` ? undefined : text
}

/** The methods that a header names stand beside the one that has the place. */
const headersIn = (operation: unknown) =>
  entriesOf(propertyOf(operation, 'x-service-methods')).map(([, operationByHeader]) => operationByHeader)

const placeholdersOf = (path: string) => [...path.matchAll(/(?:^|\/):(\w+)/g)].map(([, name]) => name as string)

/** The path of a service in the URL of one of its methods, which ends in its route. */
function routePath(url: string, route = ''): string {
  const all = url
    .replace(/\{(\w+)\}/g, ':$1')
    .split('/')
    .filter(Boolean)
  const ofMethod = route.split('/').slice(1).filter(Boolean)
  return all.slice(0, all.length - ofMethod.length).join('/')
}

function readOperation(name: string, route: string | undefined, operation: Json, follow: Follow): Operation {
  const parameters = asList(propertyOf(operation, 'parameters'))
    .map(follow)
    .filter((parameter) => propertyOf(parameter, 'in') === 'query')
  const named = (key: string) => parameters.find((parameter) => propertyOf(parameter, 'name') === key)
  const sort = propertyOf(named('$sort'), 'schema')
  const body = follow(propertyOf(operation, 'requestBody'))
  const [[type, media] = []] = entriesOf(propertyOf(body, 'content'))
  // A document may have thousands of methods, and the page shows a few of them.
  const read = {
    query: lazily(() => toFilterFields(parameters, follow)),
    sortable: lazily(() => fieldsOf(sort, follow).map((field) => field.name)),
    bodies: lazily(() => bodiesOf(propertyOf(media, 'schema'), follow)),
    record: lazily(() => answeredFields(operation, follow))
  }
  const placeholders = placeholdersOf(route ?? '')
  return {
    name,
    summary: `${textOf(propertyOf(operation, 'summary')) ?? name}${propertyOf(operation, 'deprecated') === true ? ' (deprecated)' : ''}`,
    description: textOf(propertyOf(operation, 'description')),
    route,
    hasId: placeholders.includes('id'),
    hasData: Object.hasOwn(operation, 'requestBody'),
    isCustom: !six.includes(name),
    isGuarded: isGuarded(asList(propertyOf(operation, 'security'))),
    canListen: name === 'find' && Object.hasOwn(contentOf(operation, follow), 'text/event-stream'),
    placeholders: placeholders.filter((placeholder) => placeholder !== 'id'),
    get query() {
      return read.query()
    },
    get sortable() {
      return sort === undefined || read.sortable().length > 0 ? read.sortable() : undefined
    },
    canSelect: named('$select') !== undefined,
    tellsMay: named('$may') !== undefined,
    canJoin: named('$and') !== undefined,
    get bodies() {
      return read.bodies()
    },
    isForm: type === 'multipart/form-data',
    get record() {
      return read.record()
    }
  }
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Whether a call needs a login. One that needs none may stand beside others: `{}`. */
const isGuarded = (security: readonly unknown[]) =>
  security.length > 0 && security.every((scheme) => entriesOf(scheme).length > 0)

/** The kinds of objects that a body may be. Lists of them are left to those who write JSON. */
function bodiesOf(schema: unknown, follow: Follow, depth = 0): Field[][] {
  const body = follow(schema)
  const branches = branchesWritten(body)
  if (branches.length > 0) return depth > 3 ? [] : branches.flatMap((branch) => bodiesOf(branch, follow, depth + 1))
  const fields = fieldsOf(body, follow)
  return fields.length === 0 ? [] : [fields]
}

/** Returns the content of the success response, by media type. */
function contentOf(operation: Json, follow: Follow): Json {
  const success = entriesOf(propertyOf(operation, 'responses')).find(([status]) => status.startsWith('2'))?.[1]
  return Object.fromEntries(entriesOf(propertyOf(follow(success), 'content')))
}

/** The fields of what a method answers: of a record, or of those in a list or a page. */
function answeredFields(operation: Json, follow: Follow): Field[] {
  const [media] = Object.values(contentOf(operation, follow))
  return recordIn(propertyOf(media, 'schema'), follow)
}

const ofPage = ['total', 'limit', 'skip', 'data']

function recordIn(schema: unknown, follow: Follow, depth = 0): Field[] {
  const answer = follow(schema)
  const properties = propertyOf(answer, 'properties')
  const isPage = ofPage.every((name) => propertyOf(properties, name) !== undefined)
  const list = isPage ? follow(propertyOf(properties, 'data')) : answer
  const inner = [...branchesWritten(answer), propertyOf(list, 'items')]
  const fieldLists =
    depth > 3 ? [] : inner.filter((inside) => inside !== undefined).map((inside) => recordIn(inside, follow, depth + 1))
  return fieldLists.find((fields) => fields.length > 0) ?? (isPage ? [] : fieldsOf(answer, follow))
}
