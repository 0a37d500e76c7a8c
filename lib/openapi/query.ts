import { isObject } from '../core/objects.js'
import { unionKeywords } from '../schema/keywords.js'
import type { Json } from './json-schema.js'

const descriptions: Readonly<Record<string, string>> = {
  $limit: 'The most records that the answer holds.',
  $skip: 'How many records are left out before the first one.',
  $sort: 'The order: fields with 1 for ascending and -1 for descending, as in `$sort[name]=-1`.',
  $select: 'The fields that the records of the answer have, as in `$select=id&$select=name`.',
  $or: 'Conditions of which one must hold, as in `$or[0][name]=a&$or[1][name]=b`.',
  $and: 'Conditions that must all hold, as in `$and[0][name]=a&$and[1][name]=b`.'
}
// OpenAPI leaves open what lists and objects within an object or a list are in a query.
const nested = 'A client needs a serializer of nested queries for it, such as `qs.stringify`.'

/** A parameter of a query. */
export interface Parameter extends Json {
  readonly name: string
}

/**
 * The parameters of a field of a query. An operator with a list is one of its own, `id[$in]`: within an object, no style of OpenAPI has lists.
 */
export function toQueryParameters(name: string, schema: Json, isRequired: boolean): Parameter[] {
  const lists = branchesOf(schema).flatMap(({ properties }) =>
    Object.entries(Object(properties) as Json).filter(
      (entry): entry is [string, Json] => entry[0].startsWith('$') && isObject(entry[1]) && isList(entry[1])
    )
  )
  const names = lists.map(([operator]) => operator)
  return [
    toParameter(name, withoutProperties(schema, names), isRequired),
    ...lists.map(([operator, list]) => toParameter(`${name}[${operator}]`, list, false))
  ]
}

function toParameter(name: string, { description, ...schema }: Json, isRequired: boolean): Parameter {
  const isNested = isDeep(schema)
  const text = [description ?? descriptions[name], isNested ? nested : ''].filter(Boolean).join(' ')
  return {
    name,
    in: 'query',
    ...(isRequired && { required: true }),
    ...(text !== '' && { description: text }),
    // Of each parameter: brackets are what an object has in a query.
    ...(hasObject(schema)
      ? { style: 'deepObject', explode: true }
      : hasList(schema) && { style: 'form', explode: true }),
    // Or Swagger UI sends the objects that it makes up for a list.
    ...(isNested && isList(schema) && { example: [] }),
    schema
  }
}

/** A schema without properties of its branches. A branch that has no others left is left out. */
function withoutProperties(schema: Json, names: readonly string[]): Json {
  if (names.length === 0) return schema
  const copy: Json = { ...schema }
  for (const key of branching) {
    if (!Array.isArray(copy[key])) continue
    const branches = (copy[key] as Json[])
      .map((branch) => withoutProperties(branch, names))
      .filter((branch) => !isBare(branch))
    if (branches.length > 1) copy[key] = branches
    else {
      delete copy[key]
      Object.assign(copy, branches[0])
    }
  }
  if (isObject(copy.properties))
    copy.properties = Object.fromEntries(Object.entries(copy.properties).filter(([name]) => !names.includes(name)))
  return copy
}

const isBare = ({ properties }: Json) => isObject(properties) && Object.keys(properties).length === 0

const branching = [...unionKeywords, 'allOf']

const branchesOf = (schema: Json): Json[] =>
  [schema, ...branching.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []))].filter(isObject)

const hasType = ({ type }: Json, name: string) => [type].flat().includes(name)
const isList = (schema: Json) => hasType(schema, 'array')
const hasList = (schema: Json) => branchesOf(schema).some(isList)
const hasObject = (schema: Json) =>
  branchesOf(schema).some((branch) => hasType(branch, 'object') || isObject(branch.properties))

/** Whether there are lists or objects within a list or an object. */
const isDeep = (schema: Json): boolean =>
  branchesOf(schema).some(({ items, properties }) =>
    [items, ...Object.values(Object(properties))].some(
      (inner) => isObject(inner) && (hasList(inner) || hasObject(inner))
    )
  )
