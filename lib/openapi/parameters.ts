import type { Form, MethodDescription } from '../core/description.js'
import type { Components } from './components.js'
import { isObject, type Json, toJsonSchema } from './json-schema.js'
import { toPascal, wordsOf } from './names.js'
import { placeholdersIn } from './paths.js'
import type { DocumentedService } from './service.js'

const descriptions: Readonly<Record<string, string>> = {
  $limit: 'The most records that the answer holds.',
  $skip: 'How many records are left out before the first one.',
  $sort: 'The order: fields with 1 for ascending and -1 for descending, as in `$sort[name]=-1`.',
  $select: 'The fields that the records of the answer have, as in `$select=id&$select=name`.',
  $or: 'Conditions of which one must hold, as in `$or[0][name]=a&$or[1][name]=b`.',
  $and: 'Conditions that must all hold, as in `$and[0][name]=a&$and[1][name]=b`.'
}
// OpenAPI has no style for lists of objects, and leaves open what is within an object.
const nested = 'A client needs a serializer of nested queries for it, such as `qs.stringify`.'

const operators: Readonly<Record<string, string>> = {
  $eq: 'equal to it',
  $ne: 'other than it',
  $lt: 'less than it',
  $le: 'less than it, or equal',
  $lte: 'less than it, or equal',
  $gt: 'greater than it',
  $ge: 'greater than it, or equal',
  $gte: 'greater than it, or equal',
  $in: 'one of the list',
  $nin: 'none of the list',
  $like: 'like the pattern',
  $ilike: 'like the pattern, in whatever case',
  $search: 'found by the text'
}

/** What every database adapter of Feathers knows, where a service has no schema of its queries. */
const ofAdapters: Json = {
  type: 'object',
  properties: {
    $limit: { type: 'integer', minimum: 0 },
    $skip: { type: 'integer', minimum: 0 },
    $sort: { type: 'object', additionalProperties: { type: 'integer', enum: [1, -1] } }
  }
}

/** The parameters of an operation: those of its path, and those of its query. */
export function toParameters(
  url: string,
  method: MethodDescription,
  form: Form,
  service: DocumentedService,
  components: Components
): Json[] {
  const { schema, name } = method
  const params = toJsonSchema(schema.params, 'input').properties as Json | undefined
  const placeholders = placeholdersIn(url)
  const path = placeholders.map((placeholder, index) => {
    const isId = form.hasId && index === placeholders.length - 1
    const own = params?.[placeholder] ?? (isId ? idOf(service, components) : { type: 'string' })
    const { description = isId ? `The id of the ${service.names.text.one}.` : undefined, ...rest } = Object(
      components.copy(own as Json, placeholder)
    )
    return { name: placeholder, in: 'path', required: true, ...(description && { description }), schema: rest }
  })
  const standard = name === 'find' && service.description.isAdapter ? ofAdapters : {}
  const query = resolve(toJsonSchema(schema.querystring ?? standard, 'input'))
  const required = Array.isArray(query.required) ? query.required : []
  const definitions = { definitions: query.definitions, $defs: query.$defs }
  const ofQuery = Object.entries((query.properties ?? {}) as Json).map(([name, own]) => {
    const key = `${service.names.one}Query`
    const schema = components.copy({ ...definitions, ...(own as Json) }, key) as Json
    return components.addParameter(
      key + toPascal(wordsOf(name)),
      toQueryParameter(name, schema, required.includes(name))
    )
  })
  return [...path, ...ofQuery]
}

/** The id has the type that the record gives it. */
function idOf({ description, record }: DocumentedService, { schemas }: Components): Json {
  const found = schemas[String(record.$ref).split('/').at(-1) as string] as Json | undefined
  const { type } = Object((found?.properties as Json | undefined)?.[description.idField])
  return type === 'integer' || type === 'number' ? { type } : { type: 'string' }
}

/** The schema that a reference at the root leads to, within it. */
function resolve(schema: Json): Json {
  const [, keyword = '', key = ''] = /^#\/(definitions|\$defs)\/([^/]+)$/.exec(String(schema.$ref)) ?? []
  const found = (schema[keyword] as Json | undefined)?.[key]
  return isObject(found) ? { ...schema, ...found } : schema
}

function toQueryParameter(name: string, { description, ...schema }: Json, isRequired: boolean): Json {
  const shape = shapeOf(schema)
  const texts = [description ?? descriptions[name] ?? describeFilter(name, schema)]
  if (shape.isNested) texts.push(nested)
  const text = texts.filter(Boolean).join(' ')
  return {
    name,
    in: 'query',
    ...(isRequired && { required: true }),
    ...(text !== '' && { description: text }),
    // Of each parameter: brackets are what an object has in a query.
    ...(shape.isObject && { style: 'deepObject', explode: true }),
    ...(shape.isList && !shape.isObject && { style: 'form', explode: true }),
    schema
  }
}

const branchesOf = (schema: Json): Json[] =>
  [schema, ...['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []))].filter(
    isObject
  )

const hasType = (schema: Json, type: string) => [schema.type].flat().includes(type)

function shapeOf(schema: Json): { isObject: boolean; isList: boolean; isNested: boolean } {
  const branches = branchesOf(schema)
  const objects = branches.filter((branch) => hasType(branch, 'object') || isObject(branch.properties))
  const lists = branches.filter((branch) => hasType(branch, 'array'))
  const isDeep = (inner: unknown) =>
    isObject(inner) && branchesOf(inner).some((one) => hasType(one, 'object') || hasType(one, 'array'))
  const isNested =
    lists.some(({ items }) => isDeep(items)) ||
    objects.some(({ properties }) => Object.values(Object(properties)).some(isDeep))
  return { isObject: objects.length > 0, isList: lists.length > 0, isNested }
}

function describeFilter(name: string, schema: Json): string | undefined {
  const known = branchesOf(schema).flatMap(({ properties }) => Object.keys(Object(properties)))
  const texts = known.flatMap((key) => (Object.hasOwn(operators, key) ? [`\`${key}\` (${operators[key]})`] : []))
  if (texts.length === 0) return undefined
  return `Selects records by \`${name}\`: a value, or operators as in \`${name}[${known[0]}]=…\`. There are ${texts.join(', ')}.`
}
