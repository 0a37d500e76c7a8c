import { STATUS_CODES } from 'node:http'
import type { JsonSchema } from '../../types/standard-schema.js'
import { problemType, withoutContent } from '../core/content.js'
import { type Form, type MethodDescription, responsesIn, type ServiceDescription } from '../core/description.js'
import { byCode } from '../core/error-classes.js'
import { attempt } from '../core/errors.js'
import { rulesOf } from '../core/resource/method-rules.js'
import type { MethodSchema } from '../core/service-meta.js'
import { noNames } from '../schema/flagged-names.js'
import { WrittenSchema } from '../schema/written-schema.js'
import { type ComponentMaps, type ComponentNames, Components } from './components.js'
import { isEmpty, type Json, toJsonSchema, withoutFields } from './json-schema.js'
import { nameOf, nameServices, type ServiceNames } from './names.js'
import { SecuritySchemes } from './security.js'

export interface DocumentedService {
  readonly description: ServiceDescription
  readonly names: ServiceNames
  /** A reference to the schema of its record, or the empty schema. */
  readonly record: Json
  /** The parameters for fields of its queries, by the JSON of those fields. */
  readonly parameters: Map<string, readonly Json[]>
}

export interface OperationSource {
  readonly url: string
  readonly method: MethodDescription
  readonly form: Form
  readonly service: DocumentedService
  readonly services: DocumentedServices
  readonly id: string
}

/** Whether a version of OpenAPI has the operation `query`, and `itemSchema` for streams. */
export const isSince32 = (version: string): boolean => version >= '3.2'

type SchemasById = Readonly<Record<string, unknown>>

export class DocumentedServices {
  readonly components: Components
  readonly securitySchemes: SecuritySchemes
  readonly maps: ComponentMaps
  readonly #records: ReadonlyMap<string, Json>
  readonly #names: ReadonlyMap<string, ServiceNames>
  readonly #services: ReadonlyMap<string, DocumentedService>
  readonly #shared: SchemasById
  /** Whether errors may be problem details without being asked for. */
  readonly #hasProblems: boolean
  /** Whether the document is of OpenAPI 3.2 or later. */
  readonly isSince32: boolean
  readonly #kinds = new Map<string, number | undefined>()

  /** @param services with the functions that return the schemas of `app.addSchema` */
  constructor(
    services: ReadonlyMap<ServiceDescription, () => SchemasById>,
    components: ComponentMaps & { readonly securitySchemes: Readonly<Record<string, unknown>> },
    names: ComponentNames,
    version: string
  ) {
    this.isSince32 = isSince32(version)
    const { schemas, parameters, responses } = components
    // Copies, since the next document has the same options.
    this.maps = { schemas, parameters: { ...parameters }, responses: { ...responses } }
    this.#shared = Object.assign({}, ...[...services.values()].map((read) => read()))
    const descriptions = [...services.keys()].map((service) => ({
      ...service,
      methods: service.methods.map((method) => ({ ...method, schema: asWritten(method.schema) }))
    }))
    this.#hasProblems = descriptions.some(({ hasProblems }) => hasProblems)
    const schemes = descriptions.flatMap(({ methods }) => methods.flatMap(({ security }) => security))
    this.securitySchemes = new SecuritySchemes(components.securitySchemes, schemes)
    this.components = new Components(this.maps, (paths) => this.#recordAt(paths.split(',')), names, this.#shared)
    this.#records = new Map(descriptions.map((service) => [service.path, recordOf(service)]))
    this.#names = nameServices(this.#records)
    // Records come first, so that no body or result takes the name of one.
    this.#services = new Map(
      descriptions.map((description) => {
        const { path } = description
        const names = this.#names.get(path) as ServiceNames
        return [path, { description, names, record: this.#recordAt([path]), parameters: new Map() }]
      })
    )
    for (const service of this.#services.values()) this.#addFields(service)
  }

  /** Adds the fields to a record that queries can ask for. Only the answers to those have them. */
  #addFields({ description, record }: DocumentedService): void {
    const key = String(record.$ref).split('/').at(-1) as string
    const component = this.components.schemas[key] as Json | undefined
    if (component === undefined) return
    const properties: Json = { ...Object(component.properties) }
    for (const [parameter, { fields }] of description.methods.flatMap(({ added }) => [...added]))
      for (const [name, schema] of Object.entries(fields))
        properties[name] = { ...this.components.copy(schema as Json, key), 'x-parameter': parameter }
    if (Object.keys(properties).length > 0) component.properties = properties
  }

  at(path: string): DocumentedService {
    return this.#services.get(path) as DocumentedService
  }

  /**
   * Returns a reference to a schema of a method, which becomes a component, or a copy for a method
   * that a header selects. The component has the schema's own name, unless a record has that.
   */
  schema({ isByHeader }: MethodDescription, name: string, schema: Json): Json {
    const title = nameOf(schema)
    const isOfRecord = [...this.#names.values()].some((names) => [names.record, names.title].includes(title))
    const key = title === undefined || isOfRecord ? name : title
    return isByHeader ? this.components.copy(schema, key) : this.components.add(key, schema)
  }

  result(method: MethodDescription, { names, record }: DocumentedService, id: string, responseSchema: unknown): Json {
    const schema = toResult(method, responseSchema)
    if (isEmpty(schema)) return method.isCustom ? schema : record
    // A method may answer the record of another service.
    const known = [names.record, nameOf(schema) ?? names.record].map((name) => this.components.find(name, schema))
    return known.find(Boolean) ?? this.schema(method, `${id}Result`, schema)
  }

  /** Returns the kinds of values that a schema allows, as bits, if its references are known. */
  kindsOf(schema: Json): number | undefined {
    const key = JSON.stringify(schema)
    const read = () => {
      const { reader, root } = new WrittenSchema(schema as JsonSchema, { flagged: noNames }, this.#shared).shapes
      return reader.bundle.missing.length > 0 ? undefined : root.kinds
    }
    if (!this.#kinds.has(key)) this.#kinds.set(key, attempt(read))
    return this.#kinds.get(key)
  }

  /** Returns a reference to the response for a status, as `NotFound`, or for all other errors. */
  error(status: string): Json {
    const text = STATUS_CODES[status]
    const Class = byCode.get(Number(status))
    const name = Class === undefined ? (text?.replace(/\W/g, '') ?? 'AnyError') : new Class().name
    const schema = this.components.add('Error', errorSchema)
    const problem = this.#hasProblems && { [problemType]: { schema: this.components.add('Problem', problemSchema) } }
    const content = { 'application/json': { schema }, ...problem }
    this.maps.responses[name] ??= { description: `${text ?? 'Any other error'}.`, content }
    return { $ref: `#/components/responses/${name}` }
  }

  #recordAt(paths: readonly string[]): Json {
    const path = paths.find((path) => this.#records.has(path)) ?? ''
    const schema = this.#records.get(path) ?? {}
    return isEmpty(schema) ? {} : this.components.add((this.#names.get(path) as ServiceNames).record, schema)
  }
}

/**
 * Returns the schemas of a method of a resource as documents show them: with the `$id`, which
 * routes leave out since Fastify takes each id once.
 */
function asWritten(schema: MethodSchema): MethodSchema {
  const { body, response, outgoing } = rulesOf(schema) ?? {}
  const show = (written: WrittenSchema, document: JsonSchema) => {
    const { $id, $ref, $defs } = written.document
    // `Type.Cyclic()` has it in the definition that it refers to.
    const id = $id ?? Object(Object($defs)[String($ref)]).$id
    return id === undefined ? document : { $id: id, ...document }
  }
  const isBody = body !== undefined && schema.body === body.document
  const isResponse = outgoing !== undefined && schema.response === response
  return {
    ...schema,
    ...(isBody && { body: show(body.shown, body.document) }),
    ...(isResponse && { response: show(outgoing.written, response as JsonSchema) })
  }
}

/** Returns the schema of the records of a service, from the first standard method that has it. */
function recordOf({ methods }: ServiceDescription): Json {
  for (const method of methods.filter(({ isCustom }) => !isCustom)) {
    const declared = [...responsesIn(method.schema.response)].find(([status]) => status.startsWith('2'))
    const schema = toResult(method, declared?.[1])
    if (!isEmpty(schema)) return schema
  }
  return {}
}

const toResult = ({ hidden }: MethodDescription, responseSchema: unknown) =>
  withoutFields(toJsonSchema(withoutContent(responseSchema), 'output'), hidden)

const errorSchema: Json = {
  type: 'object',
  description: 'An error.',
  required: ['name', 'message', 'code', 'className'],
  properties: {
    name: { type: 'string', description: 'The class of the error.', examples: ['BadRequest'] },
    message: { type: 'string', description: 'What is wrong, for people.' },
    code: { type: 'integer', description: 'The status of the answer.', minimum: 400, maximum: 599 },
    className: { type: 'string', description: 'The class in kebab-case.', examples: ['bad-request'] },
    data: { description: 'What the error tells besides.' },
    errors: { description: 'What is wrong in detail, by field for example.' }
  }
}

const problemMembers: Json = {
  type: { type: 'string', format: 'uri-reference' },
  title: { type: 'string', description: 'The words of the status.' },
  status: { type: 'integer', description: 'The status of the answer.', minimum: 400, maximum: 599 },
  detail: { type: 'string', description: 'What is wrong, for people.' },
  instance: { type: 'string', format: 'uri-reference', description: 'The path of the request.' }
}

const problemIssue: Json = {
  type: 'object',
  required: ['detail'],
  properties: {
    detail: { type: 'string' },
    pointer: { type: 'string', description: 'A JSON pointer into the body of the request.' }
  }
}

const problemSchema: Json = {
  type: 'object',
  description: 'An error as problem details (RFC 9457).',
  required: [...Object.keys(problemMembers), ...Object(errorSchema.required)],
  properties: {
    ...problemMembers,
    ...Object(errorSchema.properties),
    errors: { type: 'array', items: problemIssue }
  }
}
