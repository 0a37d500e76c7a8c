import { STATUS_CODES } from 'node:http'
import type { JsonSchema } from '../../types/standard-schema.js'
import { withoutContent } from '../core/content.js'
import {
  type Describable,
  describe,
  type Form,
  type MethodDescription,
  responsesIn,
  type ServiceDescription
} from '../core/description.js'
import { byCode } from '../core/error-classes.js'
import { attempt } from '../core/errors.js'
import type { MethodSchema } from '../core/object-facts.js'
import { rulesOf } from '../core/resource/rules.js'
import { noNames, WrittenSchema } from '../schema/documents.js'
import type { Flag } from '../schema/reader.js'
import { type ComponentNames, Components, type Parts } from './components.js'
import { isEmpty, type Json, toJsonSchema, withoutFields } from './json-schema.js'
import { nameOf, nameServices, type ServiceNames } from './names.js'
import { SecuritySchemes } from './security.js'

/** A service of a document. */
export interface DocumentedService {
  readonly description: ServiceDescription
  readonly names: ServiceNames
  /** A reference to its record; a schema that says nothing where there is none. */
  readonly record: Json
}

/** What an operation is made of. */
export interface OperationSource {
  readonly url: string
  readonly method: MethodDescription
  readonly form: Form
  readonly service: DocumentedService
  readonly services: DocumentedServices
  readonly id: string
}

/** The services of a document by path, and its components. */
export class DocumentedServices {
  readonly components: Components
  readonly securitySchemes: SecuritySchemes
  readonly #descriptions: ReadonlyMap<string, ServiceDescription>
  readonly #names: ReadonlyMap<string, ServiceNames>
  readonly #responses: Record<string, unknown>
  readonly #shared: Readonly<Record<string, unknown>>

  /** @param entries the services, with the schemas of `app.addSchema` that they may refer to */
  constructor(
    entries: ReadonlyMap<Describable, Readonly<Record<string, unknown>>>,
    parts: Parts,
    names: ComponentNames
  ) {
    this.#responses = parts.responses
    this.#descriptions = new Map(
      [...entries].map(([entry, shared]) => {
        const service = describe(entry)
        const methods = service.methods.map((method) => ({ ...method, schema: asWritten(method.schema, shared) }))
        return [entry.path, { ...service, methods }]
      })
    )
    this.#names = nameServices(new Map([...this.#descriptions].map(([path, service]) => [path, recordOf(service)])))
    this.#shared = Object.assign({}, ...entries.values())
    const methods = [...this.#descriptions.values()].flatMap((service) => service.methods)
    this.securitySchemes = new SecuritySchemes(
      parts.securitySchemes,
      methods.flatMap(({ security }) => security)
    )
    this.components = new Components(parts, (paths) => this.#recordAt(paths.split(',')), names, this.#shared)
    // Bodies and results of other services may have a name that a record has.
    for (const path of this.#descriptions.keys()) this.#recordAt([path])
  }

  at(path: string): DocumentedService {
    const description = this.#descriptions.get(path) as ServiceDescription
    return { description, names: this.#names.get(path) as ServiceNames, record: this.#recordAt([path]) }
  }

  /**
   * A schema of a method. It becomes a component, unless the method is none that others could refer to: its own name comes first. That of a record is for the
   * record alone.
   */
  schema({ isByHeader }: MethodDescription, name: string, schema: Json): Json {
    const title = nameOf(schema)
    const isOfRecord = [...this.#names.values()].some((names) => [names.record, names.title].includes(title))
    const key = title === undefined || isOfRecord ? name : title
    return isByHeader ? (this.components.copy(schema, key) as Json) : this.components.add(key, schema)
  }

  /** The schema of the record that a method answers: that of its service, or a component of another name. */
  result(method: MethodDescription, { names, record }: DocumentedService, id: string, responseSchema: unknown): Json {
    const schema = responseSchema === undefined ? {} : toResult(method, responseSchema)
    if (isEmpty(schema)) return method.isCustom ? schema : record
    const name = nameOf(schema) ?? names.record
    // A method may answer the record of another service.
    const ofRecord = this.components.find(names.record, schema) ?? this.components.find(name, schema)
    return ofRecord ?? this.schema(method, `${id}Result`, schema)
  }

  /** The kinds of values that a schema lets pass, as bits; `undefined` where it refers to what is no schema of the application. */
  kindsOf(schema: Json): number | undefined {
    return attempt(
      () => new WrittenSchema(schema as JsonSchema, { flagged: noNames }).shapesWith(this.#shared).root.kinds
    )
  }

  /** A reference to the response for an error of a status, or for any other error. */
  error(status: string): Json {
    const { name, description } = errorOf(status)
    const schema = this.components.add('Error', errorSchema)
    this.#responses[name] ??= { description, content: { 'application/json': { schema } } }
    return { $ref: `#/components/responses/${name}` }
  }

  #recordAt(paths: readonly string[]): Json {
    const path = String(paths.find((path) => this.#descriptions.has(path)))
    const service = this.#descriptions.get(path)
    const schema = service === undefined ? {} : recordOf(service)
    return isEmpty(schema) ? {} : this.components.add((this.#names.get(path) as ServiceNames).record, schema)
  }
}

/**
 * The schemas of a method of a resource as documents show them: with those that the application shares, where they have a part in them, and with the `$id` that
 * routes have no use for, since Fastify takes each id once.
 */
function asWritten(schema: MethodSchema, shared: Readonly<Record<string, unknown>>): MethodSchema {
  const { body, response, outgoing } = rulesOf(schema) ?? {}
  const show = (written: WrittenSchema, document: JsonSchema, flag: Flag, isPart = false) => ({
    ...schemaIdOf(written.document),
    ...(written.isWhole ? document : written.documentWithout(flag, isPart, shared))
  })
  const isBody = body !== undefined && schema.body === body.document
  const isResponse = outgoing !== undefined && schema.response === response
  return {
    ...schema,
    ...(isBody && { body: show(body.shown, body.document, 'readOnly', body.isPart) }),
    ...(isResponse && { response: show(outgoing.written, response as JsonSchema, 'writeOnly') })
  }
}

/** The `$id` of a schema, or of its definition that a reference in its place leads to, as TypeBox writes a record that refers to itself. */
function schemaIdOf({ $id, $ref, $defs }: JsonSchema): { $id?: unknown } {
  const id = $id ?? (Object($defs)[String($ref)] as JsonSchema | undefined)?.$id
  return id === undefined ? {} : { $id: id }
}

/** The schema of the records of a service: what the first of its methods answers that says it. */
function recordOf({ methods }: ServiceDescription): Json {
  for (const method of methods.filter(({ isCustom }) => !isCustom)) {
    const declared = [...responsesIn(method.schema.response)].find(([status]) => status.startsWith('2'))?.[1]
    const schema = declared === undefined ? {} : toResult(method, declared)
    if (!isEmpty(schema)) return schema
  }
  return {}
}

const toResult = ({ hidden }: MethodDescription, responseSchema: unknown) =>
  withoutFields(toJsonSchema(withoutContent(responseSchema), 'output'), hidden)

/** The component that all errors have the shape of. */
export const errorSchema: Json = {
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

/** The names of errors that have no class of their own. */
const preconditions: Readonly<Record<string, string>> = { 412: 'PreconditionFailed', 428: 'PreconditionRequired' }

/** The name and the text of the response for a status: `NotFound`. */
export function errorOf(status: string): { name: string; description: string } {
  const Class = byCode.get(Number(status))
  const name = Class === undefined ? preconditions[status] : new Class().name
  return name === undefined
    ? { name: 'AnyError', description: 'Any other error.' }
    : { name, description: `${STATUS_CODES[status]}.` }
}
