import { isObject } from '../core/objects.js'
import { idName } from '../core/path.js'
import { unionKeywords } from '../schema/keywords.js'
import type { Components } from './components.js'
import { type Json, resolveRoot, toJsonSchema, withoutFields } from './json-schema.js'
import { toPascal, wordsOf } from './names.js'
import type { DocumentedService, OperationSource } from './service.js'

type Parameter = Json & { readonly name: string }

/** The query of each database adapter of Feathers, for services without a schema of it. */
const adapterQuery: Json = {
  type: 'object',
  properties: {
    $limit: { type: 'integer', minimum: 0 },
    $skip: { type: 'integer', minimum: 0 },
    $sort: { type: 'object', additionalProperties: { type: 'integer', enum: [1, -1] } }
  }
}

export function toParameters(source: OperationSource): Json[] {
  const { url, method, form, service } = source
  const { components } = source.services
  const { schema } = method
  const params = toJsonSchema(schema.params, 'input').properties as Json | undefined
  const inPath = [...url.matchAll(/\{([^{}]+)\}/g)].map(([, placeholder = '']) => {
    const isId = form.hasId && placeholder === idName(service.description.path)
    const declared = params?.[placeholder] ?? { type: isId ? idType(service, components) : 'string' }
    const defaultDescription = isId ? 'The id of the record.' : undefined
    const { description = defaultDescription, ...schema } = components.copy(declared as Json, placeholder)
    return { name: placeholder, in: 'path', required: true, ...(description !== undefined && { description }), schema }
  })
  // Its query is the body.
  if (form.verb === 'QUERY') return inPath
  const querySchema = toQuerySchema(source)
  const { properties = {}, required, definitions, $defs } = { ...querySchema, ...resolveRoot(querySchema) }
  const key = `${service.names.record}Query`
  const cursor = method.name === 'find' && service.description.takesCursors && { $after: { type: 'string' } }
  const inQuery = Object.entries({ ...(properties as Json), ...cursor }).flatMap(([name, property]) => {
    const isRequired = Array.isArray(required) && required.includes(name)
    const source = { definitions, $defs, ...(property as Json) }
    // The methods of a service mostly have the same parameters.
    const text = JSON.stringify([name, isRequired, method.isByHeader, source])
    const share = (parameter: Parameter) => components.addParameter(key + toPascal(wordsOf(parameter.name)), parameter)
    const create = () => toQueryParameters(name, components.copy(source, key), isRequired)
    const parameters = service.parameters.get(text) ?? (method.isByHeader ? create() : create().map(share))
    service.parameters.set(text, parameters)
    return parameters
  })
  return [...inPath, ...inQuery]
}

export function toQuerySchema({ method: { schema, name, hidden, added }, service }: OperationSource): Json {
  const defaultQuery = name === 'find' && service.description.isAdapter ? adapterQuery : {}
  // A query must not name the fields that hooks hide.
  const query = withoutFields(toJsonSchema(schema.querystring ?? defaultQuery, 'input'), hidden)
  if (added.size === 0) return query
  const parameters = [...added].map(([name, { parameter }]) => [name, parameter])
  return { ...query, properties: { ...Object(query.properties), ...Object.fromEntries(parameters) } }
}

function idType({ description, record }: DocumentedService, { schemas }: Components): string {
  const component = schemas[String(record.$ref).split('/').at(-1) as string] as Json | undefined
  const { type } = Object(Object(component?.properties)[description.idField])
  return type === 'integer' || type === 'number' ? type : 'string'
}

const descriptions: Readonly<Record<string, string>> = {
  $limit: 'The most records that the answer holds.',
  $skip: 'How many records are left out before the first one.',
  $after: 'The cursor of a page: empty for the first one, then as in the header `Link` of the page before.',
  $sort: 'The order: fields with 1 for ascending and -1 for descending, as in `$sort[name]=-1`.',
  $select: 'The fields that the records of the answer have, as in `$select=id&$select=name`.',
  $or: 'Conditions of which one must hold, as in `$or[0][name]=a&$or[1][name]=b`.',
  $and: 'Conditions that must all hold, as in `$and[0][name]=a&$and[1][name]=b`.'
}
// OpenAPI does not define how a query holds lists and objects within others.
const nested = 'A client needs a serializer of nested queries for it, such as `qs.stringify`.'

/**
 * Returns the parameters for a field of a query. An operator with a list has its own, `id[$in]`,
 * since no style of OpenAPI has lists within objects.
 */
function toQueryParameters(name: string, schema: Json, isRequired: boolean): Parameter[] {
  const properties = branchesOf(schema).flatMap((branch) => Object.entries(Object(branch.properties) as Json))
  const lists = properties.filter(([operator, value]) => operator.startsWith('$') && isList(value))
  const withoutLists =
    lists.length === 0 ? schema : withoutOperators(schema, new Set(lists.map(([operator]) => operator)))
  return [
    toParameter(name, withoutLists, isRequired),
    ...lists.map(([operator, list]) => toParameter(`${name}[${operator}]`, list as Json, false))
  ]
}

function toParameter(name: string, { description, ...schema }: Json, isRequired: boolean): Parameter {
  const members = branchesOf(schema).flatMap(({ items, properties }) => [items, ...Object.values(Object(properties))])
  const isNested = members.some((member) => has(member, isList) || has(member, hasFields))
  const text = [description ?? descriptions[name], isNested ? nested : ''].filter(Boolean).join(' ')
  return {
    name,
    in: 'query',
    ...(isRequired && { required: true }),
    ...(text !== '' && { description: text }),
    ...(has(schema, hasFields)
      ? { style: 'deepObject', explode: true }
      : has(schema, isList) && { style: 'form', explode: true }),
    // Without it Swagger UI sends objects that it makes up.
    ...(isNested && isList(schema) && { example: [] }),
    schema
  }
}

/** Removes properties from a schema and its branches, and branches that have no others. */
function withoutOperators(schema: Json, operators: ReadonlySet<string>): Json {
  const copy: Json = { ...schema }
  for (const key of branching.filter((key) => Array.isArray(schema[key]))) {
    const branches = (schema[key] as Json[]).map((branch) => withoutOperators(branch, operators))
    const remaining = branches.filter(({ properties }) => !isObject(properties) || Object.keys(properties).length > 0)
    if (remaining.length > 1) copy[key] = remaining
    else {
      delete copy[key]
      Object.assign(copy, remaining[0])
    }
  }
  if (isObject(copy.properties))
    copy.properties = Object.fromEntries(Object.entries(copy.properties).filter(([name]) => !operators.has(name)))
  return copy
}

const branching = [...unionKeywords, 'allOf']

const branchesOf = (schema: unknown): Json[] =>
  [schema, ...branching.flatMap((key) => Object(schema)[key] ?? [])].filter(isObject)

const has = (schema: unknown, is: (branch: unknown) => boolean) => branchesOf(schema).some(is)
const hasType = (schema: unknown, type: string) => [Object(schema).type].flat().includes(type)
const isList = (schema: unknown) => hasType(schema, 'array')
const hasFields = (schema: unknown) => hasType(schema, 'object') || isObject(Object(schema).properties)
