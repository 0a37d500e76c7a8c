import { STATUS_CODES } from 'node:http'
import { allTypes, contentByType, isJSON, withoutContent } from '../core/content.js'
import { responsesIn } from '../core/description.js'
import { statusOf } from '../core/methods.js'
import { kindBits } from '../schema/reader.js'
import { isEmpty, type Json, toJsonSchema } from './json-schema.js'
import { toPascal } from './names.js'
import type { DocumentedServices, OperationSource } from './service.js'

const json = 'application/json'
const lines = 'application/x-ndjson'
const eventText: Json = {
  type: 'string',
  description: 'What happens to the list, as server-sent events. The data of each is an object with `path` and `event`.'
}

export const eventStream = 'text/event-stream'

/** Returns the media type of a stream of events. OpenAPI 3.1 has no words for single events. */
export const toEventStream = ({ isSince32, components }: DocumentedServices) =>
  isSince32 ? { itemSchema: components.add('ServerSentEvent', eventSchema) } : { schema: eventText }

const eventSchema: Json = {
  type: 'object',
  description: 'An event of a list.',
  required: ['data'],
  properties: {
    id: { type: 'string', description: 'The position, for the header `Last-Event-ID`.' },
    data: {
      type: 'string',
      contentMediaType: json,
      contentSchema: {
        type: 'object',
        required: ['path', 'event'],
        properties: {
          path: { type: 'string', description: 'The path of the service.' },
          event: { type: 'string', description: 'What has happened, such as `created`.' },
          data: { description: 'The id of the record as an object, or the record.' }
        }
      }
    }
  }
}

export function toResponses(source: OperationSource): Json {
  const { method, services } = source
  const declared = [...responsesIn(method.schema.response)]
  const isSuccess = ([status]: readonly [string, unknown]) => status.startsWith('2')
  const answers = declared.some(isSuccess) ? declared.filter(isSuccess) : [['2xx', undefined] as const]
  const others = declared.filter((response) => !isSuccess(response))
  return Object.fromEntries([
    ...answers.flatMap(([status, schema]) => toAnswers(source, status, schema)),
    ...errorsOf(source).map((status) => [status, services.error(status)]),
    ...others.map(([status, schema]) => [
      status === 'default' ? status : status.toUpperCase(),
      toOther(status, schema, services)
    ])
  ])
}

/** Returns the response of a success, and the empty one if the result may be `null`. */
function toAnswers(source: OperationSource, status: string, declared: unknown): [string, Json][] {
  const { method, form, services } = source
  const { name, isCustom, schema, definition } = method
  const defaultStatus = String(statusOf(definition))
  const code = status === '2xx' ? defaultStatus : status
  const types = schema.produces ?? Object.keys(contentByType(declared) ?? { [json]: {} })
  const kinds = services.kindsOf(toJsonSchema(withoutContent(declared), 'output'))
  // Records of a list are never `null`, and a schema that allows anything does not mean `null`.
  const isOfRecords = !isCustom && ((form.isMany && name !== 'create') || kinds === kindBits.all)
  const mayBeNull = !isOfRecords && types.some(isOfData) && ((kinds ?? 0) & kindBits.null) !== 0
  // A hook that sets another status sets it for `null`, too.
  const emptyCode = code === defaultStatus ? '204' : code
  const empty: [string, Json][] = [[emptyCode, { description: String(STATUS_CODES[emptyCode]) }]]
  if (kinds === kindBits.null) return empty
  return [...(mayBeNull ? empty : []), [code, toAnswer(source, types, declared)]]
}

const isOfData = (type: string) => isJSON(type) || type === allTypes

function toAnswer(source: OperationSource, types: readonly string[], declared: unknown): Json {
  const { method, form, service, services, id } = source
  const { name, isCustom } = method
  const { hasEvents, isPaged } = service.description
  const record = services.result(method, service, toPascal([id]), declared)
  const content: [string, Json][] = types.map((type) => {
    if (isOfData(type)) return [type, { schema: toResultSchema(source, record) }]
    if (type === lines) return [type, services.isSince32 ? { itemSchema: record } : { schema: record }]
    return [type, { schema: { type: 'string', format: 'binary' } }]
  })
  if (name === 'find' && hasEvents) content.push([eventStream, toEventStream(services)])
  const isLinked = name === 'find' && form.verb === 'GET' && isPaged === true
  const headers = [...method.openapi(form), ...(isLinked ? [{ response: linkNote }] : [])].flatMap(({ response }) => {
    if (response === undefined) return []
    return [[response.name, { description: response.description, schema: { type: 'string' } }]]
  })
  const records = form.isMany ? 'The records.' : 'The record.'
  const defaultDescription = isCustom
    ? `What \`${name}\` gives.`
    : name === 'find'
      ? 'The records that the query selects.'
      : records
  const description = Object(declared).description ?? defaultDescription
  return {
    description: types.includes(lines) ? `${description} One on each line.` : description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    content: Object.fromEntries(content)
  }
}

const linkNote = { name: 'Link', description: 'The next page: `<?$skip=10>; rel="next"`.' }

/** Returns the schema of a result: a record, a list, or a page. */
function toResultSchema({ method, form, service, services }: OperationSource, record: Json): Json {
  const list = { type: 'array', items: record }
  if (!form.isMany) return record
  if (method.name === 'create' || method.isCustom) return isEmpty(record) ? record : { oneOf: [record, list] }
  const { isPaged } = service.description
  if (method.name !== 'find' || isPaged === false) return list
  const page = services.components.add(`${service.names.record}Page`, {
    type: 'object',
    description: 'A page of records.',
    required: ['total', 'limit', 'skip', 'data'],
    properties: {
      total: { type: 'integer', description: 'How many the query selects in all.' },
      limit: { type: 'integer', description: 'The most that one page holds.' },
      skip: { type: 'integer', description: 'How many were left out before this page.' },
      data: list
    }
  })
  return isPaged ? page : { anyOf: [list, page] }
}

/** Returns the statuses of errors by the transport, guards and adapters. */
function errorsOf({ method, form, service }: OperationSource): string[] {
  const { name, definition, security, access } = method
  return [
    '400',
    ...(security.length > 0 || access.length > 0 ? ['401', '403'] : []),
    ...(form.hasId || service.description.path.includes(':') ? ['404'] : []),
    ...(name === 'create' ? ['405'] : []),
    ...(form.verb === 'QUERY' ? ['415'] : []),
    ...(definition.arguments.includes('data') ? ['415', '422'] : []),
    ...method.openapi(form).flatMap(({ statuses = [] }) => statuses),
    'default'
  ]
}

function toOther(status: string, declared: unknown, services: DocumentedServices): Json {
  const schema = toJsonSchema(withoutContent(declared), 'output')
  if (schema.$ref === 'error') return services.error(status)
  const description = Object(declared).description ?? schema.description ?? STATUS_CODES[status] ?? 'Another answer.'
  if (schema.type === 'null') return { description }
  return { description, content: { [json]: { schema: services.components.copy(schema, 'Error') } } }
}
