import type { Form, MethodDescription } from '../core/description.js'
import { hasFile, type Json, toJsonSchema } from './json-schema.js'
import { toPascal, wordsOf } from './names.js'
import { toParameters } from './parameters.js'
import { toResponses } from './responses.js'
import type { DocumentedService, DocumentedServices } from './service.js'

/** The operation of a method at a URL, as OpenAPI has it. */
export function toOperation(
  url: string,
  method: MethodDescription,
  form: Form,
  service: DocumentedService,
  services: DocumentedServices
): Json {
  const { schema, security } = method
  const operationId = idOf(method, form, service)
  const parameters = [
    ...(method.isByHeader ? [toHeader(method.name)] : []),
    ...toParameters(url, method, form, service, services.components)
  ]
  const requestBody = toBody(method, form, service, services, toPascal([operationId]))
  const extensions = Object.entries(schema).filter(([key]) => key.startsWith('x-'))
  return {
    operationId,
    summary: summaryOf(method, form, service),
    ...(schema.description !== undefined && { description: schema.description }),
    tags: schema.tags ?? [service.description.path || '/'],
    ...(schema.deprecated && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: toResponses(method, form, service, services, toPascal([operationId])),
    security:
      schema.security ?? security.map((schemes) => Object.fromEntries(Object.keys(schemes).map((name) => [name, []]))),
    ...Object.fromEntries(extensions)
  }
}

/** The header that tells a custom method from `create`. */
const toHeader = (name: string): Json => ({
  name: 'X-Service-Method',
  in: 'header',
  required: true,
  schema: { type: 'string', const: name }
})

function idOf(
  { name, schema, isCustom }: MethodDescription,
  { hasId, isMany }: Form,
  { names }: DocumentedService
): string {
  // A batch goes the way of one record.
  const isList = isMany && name !== 'create' && !isCustom
  if (schema.operationId !== undefined)
    return isList && name !== 'find' ? `${schema.operationId}Many` : schema.operationId
  if (!isList || name === 'find') return name + (name === 'find' || (isCustom && !hasId) ? names.many : names.one)
  return names.many === names.one ? `${name}Many${names.many}` : name + names.many
}

const verbs: Readonly<Record<string, string>> = {
  find: 'Find',
  get: 'Get',
  create: 'Create',
  update: 'Replace',
  patch: 'Change',
  remove: 'Remove'
}

function summaryOf({ name, schema, isCustom }: MethodDescription, form: Form, { names: { text } }: DocumentedService) {
  const article = /^[aeiou]/i.test(text.one) ? 'an' : 'a'
  const isBulk = form.isMany && name !== 'find' && name !== 'create' && !isCustom
  const selected = 'that the query selects'
  if (schema.summary !== undefined) return isBulk ? `${schema.summary}: all ${selected}` : schema.summary
  if (isCustom) {
    const [first = '', ...words] = wordsOf(name)
    const verb = [`${first[0]?.toUpperCase()}${first.slice(1)}`, ...words].join(' ')
    return form.hasId ? `${verb} ${article} ${text.one}` : `${verb} (${text.many})`
  }
  if (name === 'find') return `Find ${text.many}`
  if (isBulk) return `${verbs[name]} all ${text.many} ${selected}`
  if (form.isMany) return `Create ${article} ${text.one}, or a list of ${text.many}`
  return `${verbs[name]} ${article} ${text.one}`
}

const suffixes: Readonly<Record<string, string>> = { create: 'Data', update: 'Data', patch: 'Patch' }

function toBody(
  { name, definition, schema, isCustom }: MethodDescription,
  { isMany }: Form,
  { names }: DocumentedService,
  { components }: DocumentedServices,
  id: string
): Json | undefined {
  if (!definition.arguments.includes('data')) return undefined
  if (schema.body === undefined) {
    const any = isCustom ? {} : { type: 'object' }
    return { required: !isCustom, content: { 'application/json': { schema: any } } }
  }
  const given = toJsonSchema(schema.body, 'input')
  const one = components.add(isCustom ? `${id}Data` : `${names.one}${suffixes[name]}`, given)
  const isForm = hasFile(given)
  const isBatch = definition.batch && isMany && !isForm
  const types = schema.consumes ?? [isForm ? 'multipart/form-data' : 'application/json']
  const body = { schema: isBatch ? { oneOf: [one, { type: 'array', items: one }] } : one }
  return { required: true, content: Object.fromEntries(types.map((type) => [type, body])) }
}
