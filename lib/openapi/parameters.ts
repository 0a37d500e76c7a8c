import { isObject } from '../core/objects.js'
import { idName } from '../core/path.js'
import type { Components } from './components.js'
import { type Json, toJsonSchema, withoutFields } from './json-schema.js'
import { pathParametersIn, toPascal, wordsOf } from './names.js'
import { toQueryParameters } from './query.js'
import type { DocumentedService, OperationSource } from './service.js'

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
export function toParameters({ url, method, form, service, services: { components } }: OperationSource): Json[] {
  const { schema, name } = method
  const params = toJsonSchema(schema.params, 'input').properties as Json | undefined
  const placeholders = pathParametersIn(url)
  const path = placeholders.map((placeholder) => {
    const isId = form.hasId && placeholder === idName(service.description.path)
    const schema = params?.[placeholder] ?? (isId ? idOf(service, components) : { type: 'string' })
    const { description = isId ? 'The id of the record.' : undefined, ...rest } = components.copy(
      schema as Json,
      placeholder
    ) as Json
    return {
      name: placeholder,
      in: 'path',
      required: true,
      ...(description !== undefined && { description }),
      schema: rest
    }
  })
  const standard = name === 'find' && service.description.isAdapter ? ofAdapters : {}
  // The hook that keeps fields from leaving refuses a query that names one.
  const query = withoutFields(resolve(toJsonSchema(schema.querystring ?? standard, 'input')), method.hidden)
  const required = Array.isArray(query.required) ? query.required : []
  const definitions = { definitions: query.definitions, $defs: query.$defs }
  const key = `${service.names.record}Query`
  const ofQuery = Object.entries((query.properties ?? {}) as Json).flatMap(([name, property]) => {
    const schema = components.copy({ ...definitions, ...(property as Json) }, key) as Json
    const parameters = toQueryParameters(name, schema, required.includes(name))
    return method.isByHeader
      ? parameters
      : parameters.map((parameter) => components.addParameter(key + toPascal(wordsOf(parameter.name)), parameter))
  })
  return [...path, ...ofQuery]
}

/** The id has the type that the record gives it. */
function idOf({ description, record }: DocumentedService, { schemas }: Components): Json {
  const component = schemas[String(record.$ref).split('/').at(-1) as string] as Json | undefined
  const { type } = Object((component?.properties as Json | undefined)?.[description.idField])
  return type === 'integer' || type === 'number' ? { type } : { type: 'string' }
}

/** The schema that a reference at the root leads to, within it. */
function resolve(schema: Json): Json {
  const [, keyword = '', key = ''] = /^#\/(definitions|\$defs)\/([^/]+)$/.exec(String(schema.$ref)) ?? []
  const definition = (schema[keyword] as Json | undefined)?.[key]
  return isObject(definition) ? { ...schema, ...definition } : schema
}
