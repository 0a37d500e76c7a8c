import type { Form, MethodDescription } from '../core/description.js'
import { takesList } from '../core/methods.js'
import { filesOf } from '../core/resource/files.js'
import { rulesOf } from '../core/resource/method-rules.js'
import { isEmpty, type Json, toJsonSchema, withDefaults } from './json-schema.js'
import { toPascal, wordsOf } from './names.js'
import { toParameters, toQuerySchema } from './parameters.js'
import { toResponses } from './responses.js'
import type { DocumentedService, OperationSource } from './service.js'

export function toOperation(parts: Omit<OperationSource, 'id'>): Json {
  const { method, form, service, services } = parts
  const { schema, security, access, name } = method
  const { path, idField } = service.description
  const isQuery = form.verb === 'QUERY'
  const id = `${idOf(method, form, service)}${isQuery ? 'ByQuery' : ''}`
  const source = { ...parts, id }
  const header = { in: 'header', required: true, schema: { type: 'string', const: name } }
  const parameters = [
    ...(method.isByHeader ? [{ name: 'X-Service-Method', ...header }] : []),
    ...method.openapi(form).flatMap(({ request }) => {
      if (request === undefined) return []
      const { name, description, required = false } = request
      return [{ name, in: 'header', description, required, schema: { type: 'string' } }]
    }),
    ...toParameters(source)
  ]
  const requestBody = isQuery ? toQueryBody(source) : toBody(source)
  const callers = access.length > 0 ? `For: ${access.join('; ')}.` : undefined
  const description = [schema.description, callers].filter((text) => text !== undefined).join('\n\n')
  return {
    operationId: id,
    summary: `${summaryOf(method, form, service)}${isQuery ? ' by a query in JSON' : ''}`,
    ...(description !== '' && { description }),
    tags: schema.tags ?? [path || '/'],
    ...(schema.deprecated && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: toResponses(source),
    security: schema.security ?? services.securitySchemes.require(security),
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => key.startsWith('x-'))),
    // Tells programs that show services which method it is. One that a header selects has no route,
    // and a QUERY is another way to call a method that is shown.
    ...(!isQuery && {
      'x-service': { path, method: name, ...(!form.byHeader && { route: `${form.verb} /${form.path}` }), id: idField }
    })
  }
}

function idOf(
  { name, schema, isCustom }: MethodDescription,
  { hasId, isMany }: Form,
  { names }: DocumentedService
): string {
  // `create` with a list has the same operation as with one record.
  const isList = isMany && name !== 'create' && !isCustom
  if (schema.operationId !== undefined)
    return isList && name !== 'find' ? `${schema.operationId}Many` : schema.operationId
  if (!isList || name === 'find') return name + (name === 'find' || (isCustom && !hasId) ? names.path : names.record)
  return names.path === names.record ? `${name}Many${names.path}` : name + names.path
}

const verbs = new Map(
  Object.entries({ get: 'Get', create: 'Create', update: 'Replace', patch: 'Change', remove: 'Remove' })
)

function summaryOf({ name, schema, isCustom }: MethodDescription, form: Form, { names: { text } }: DocumentedService) {
  const isBulk = form.isMany && name !== 'find' && name !== 'create' && !isCustom
  const selected = 'that the query selects'
  if (schema.summary !== undefined) return isBulk ? `${schema.summary}: all ${selected}` : schema.summary
  if (isCustom) {
    const [first = '', ...words] = wordsOf(name)
    const verb = [`${first[0]?.toUpperCase()}${first.slice(1)}`, ...words].join(' ')
    return form.hasId ? `${verb} a record of ${text}` : `${verb} (${text})`
  }
  if (name === 'find') return `Find records of ${text}`
  if (isBulk) return `${verbs.get(name)} all records of ${text} ${selected}`
  return `${verbs.get(name)} a record of ${text}${form.isMany ? ', or a list' : ''}`
}

function toQueryBody(source: OperationSource): Json {
  const { method, services } = source
  const schema = toQuerySchema(source)
  const component = isEmpty(schema)
    ? { type: 'object' }
    : services.schema(method, `${toPascal([source.id])}Data`, schema)
  return { required: true, content: { 'application/json': { schema: component } } }
}

const multipart = 'multipart/form-data'
const suffixes = new Map(Object.entries({ create: 'Data', update: 'Update', patch: 'Patch' }))

function toBody({ method, form, service: { names }, services, id }: OperationSource): Json | undefined {
  const { name, definition, schema, isCustom } = method
  if (!definition.arguments.includes('data')) return undefined
  if (schema.body === undefined) {
    const any = isCustom ? {} : { type: 'object' }
    return { required: !isCustom, content: { 'application/json': { schema: any } } }
  }
  const bodySchema = withDefaults(toJsonSchema(schema.body, 'input'))
  const mayBeAbsent = rulesOf(schema)?.body?.mayBeAbsent === true && bodySchema.required === undefined
  if (mayBeAbsent && bodySchema.additionalProperties === false && isEmpty(Object(bodySchema.properties)))
    return undefined
  const componentName = isCustom ? `${toPascal([id])}Data` : `${names.record}${suffixes.get(name)}`
  // Most services replace a record by the same body that they create it from.
  const component =
    services.components.find(`${names.record}Data`, bodySchema) ?? services.schema(method, componentName, bodySchema)
  const files = filesOf(bodySchema)
  // `isFile` is the keyword of `@fastify/multipart`.
  const isForm = files.size > 0 || JSON.stringify(bodySchema).includes('"isFile":true')
  const isBatch = takesList(definition) && form.isMany && !isForm
  const body = { schema: isBatch ? { oneOf: [component, { type: 'array', items: component }] } : component }
  const fileTypes = [...files].flatMap(([name, { types }]) =>
    types.length > 0 ? [[name, { contentType: types.join(', ') }]] : []
  )
  const encoding = fileTypes.length > 0 && { encoding: Object.fromEntries(fileTypes) }
  const types = schema.consumes ?? [isForm ? multipart : 'application/json']
  const content = types.map((type) => [type, { ...body, ...(type === multipart && encoding) }])
  return { required: !mayBeAbsent, content: Object.fromEntries(content) }
}
