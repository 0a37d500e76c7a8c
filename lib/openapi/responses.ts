import { STATUS_CODES } from 'node:http'
import { allTypes, contentByType, isJSON, withoutContent } from '../core/content.js'
import { type Form, type MethodDescription, responsesIn } from '../core/description.js'
import type { NotedHeader } from '../core/hooks.js'
import { statusOf } from '../core/methods.js'
import type { MethodSchema } from '../core/object-facts.js'
import { kindBits } from '../schema/reader.js'
import { isEmpty, type Json, toJsonSchema } from './json-schema.js'
import { toPascal } from './names.js'
import type { DocumentedServices, OperationSource } from './service.js'

const json = 'application/json'
const lines = 'application/x-ndjson'
const eventsType = 'text/event-stream'
const eventText: Json = {
  type: 'string',
  description: 'What happens to the list, as server-sent events. The data of each is an object with `path` and `event`.'
}

/** The responses of an operation. */
export function toResponses(source: OperationSource): Json {
  const { method, service, services, id } = source
  const declared = [...responsesIn(method.schema.response)]
  const success = declared.filter(([status]) => status.startsWith('2'))
  const others = declared.filter(([status]) => !status.startsWith('2'))
  const usual = String(statusOf(method.definition))
  const answers = (success.length === 0 ? [['2xx', undefined] as const] : success).flatMap(([status, schema]) => {
    const code = status === '2xx' ? usual : status
    const kinds = kindsOfAnswer(source, schema)
    const mayBeNull = kinds !== undefined && (kinds & kindBits.null) !== 0
    // A hook that sets another status sets it for `null`, too.
    const nothing = mayBeNull ? [toNothing(code === usual ? '204' : code)] : []
    if (kinds === kindBits.null) return nothing
    return [...nothing, [code, toAnswer(source, services.result(method, service, toPascal([id]), schema), schema)]]
  })
  const errors = errorsOf(source).map((status) => [status, services.error(status)])
  const responses = others.map(([status, schema]) => [
    status === 'default' ? status : status.toUpperCase(),
    toOther(status, schema, services)
  ])
  return Object.fromEntries([...answers, ...errors, ...responses])
}

const toNothing = (code: string) => [code, { description: String(STATUS_CODES[code]) }]

/** The content types of an answer. */
const contentTypes = ({ produces }: MethodSchema, declared: unknown): readonly string[] =>
  produces ?? Object.keys(contentByType(declared) ?? { [json]: {} })

const isOfData = (type: string) => isJSON(type) || type === allTypes

/** The kinds of values that a method may answer, as bits; `undefined` where its schema is of the records of a list, or says no more than that they are some. */
function kindsOfAnswer({ method, form, services }: OperationSource, declared: unknown): number | undefined {
  const { name, isCustom, schema } = method
  const kinds = services.kindsOf(toJsonSchema(withoutContent(declared), 'output'))
  if (kinds === kindBits.null) return kinds
  const isWhole = isCustom || name === 'create' || !form.isMany
  const isOfRecords = !isWhole || (!isCustom && kinds === kindBits.all)
  return isOfRecords || !contentTypes(schema, declared).some(isOfData) ? undefined : kinds
}

function toAnswer({ method, form, service, services }: OperationSource, record: Json, responseSchema: unknown): Json {
  const { name, schema } = method
  const { names, description } = service
  const list = { type: 'array', items: record }
  const page = () => services.components.add(`${names.record}Page`, toPage(record))
  const whole = () => {
    if (!form.isMany) return record
    if (name === 'create' || method.isCustom) return isEmpty(record) ? record : { oneOf: [record, list] }
    if (name !== 'find' || description.isPaged === false) return list
    return description.isPaged ? page() : { anyOf: [list, page()] }
  }
  const types = contentTypes(schema, responseSchema)
  const content = types.map((type) => {
    if (isOfData(type)) return [type, { schema: whole() }]
    if (type === lines) return [type, { schema: record }]
    return [type, { schema: { type: 'string', format: 'binary' } }]
  })
  if (name === 'find' && description.hasEvents) content.push([eventsType, { schema: eventText }])
  const headers = method
    .notes(form)
    .flatMap(({ response }) => (response === undefined ? [] : [[response.name, toResponseHeader(response)]]))
  const text = (responseSchema as Json | undefined)?.description ?? textOfAnswer(method, form)
  return {
    description: types.includes(lines) ? `${text} One on each line.` : text,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    content: Object.fromEntries(content)
  }
}

const toResponseHeader = ({ description }: NotedHeader): Json => ({ description, schema: { type: 'string' } })

function textOfAnswer({ name, isCustom }: MethodDescription, { isMany }: Form) {
  if (isCustom) return `What \`${name}\` gives.`
  return name === 'find' ? 'The records that the query selects.' : isMany ? 'The records.' : 'The record.'
}

const toPage = (record: Json): Json => ({
  type: 'object',
  description: 'A page of records.',
  required: ['total', 'limit', 'skip', 'data'],
  properties: {
    total: { type: 'integer', description: 'How many the query selects in all.' },
    limit: { type: 'integer', description: 'The most that one page holds.' },
    skip: { type: 'integer', description: 'How many were left out before this page.' },
    data: { type: 'array', items: record }
  }
})

/** The errors that the transport, the guards and the adapters answer. Others are the `default`. */
function errorsOf({ method, form, service }: OperationSource): string[] {
  const { name, definition, security, access } = method
  const hasPlaceholder = form.hasId || service.description.path.includes(':')
  const hasBody = definition.arguments.includes('data')
  return [
    '400',
    ...(security.length > 0 || access.length > 0 ? ['401', '403'] : []),
    ...(hasPlaceholder ? ['404'] : []),
    ...(name === 'create' ? ['405'] : []),
    ...(hasBody ? ['415', '422'] : []),
    ...method.notes(form).flatMap(({ statuses = [] }) => statuses),
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
