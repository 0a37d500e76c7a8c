import {
  type Describable,
  describe,
  type Form,
  type MethodDescription,
  responsesIn,
  type ServiceDescription
} from '../core/description.js'
import type { SecurityScheme } from '../core/hooks.js'
import { Components, type Parts } from './components.js'
import { errorOf, errorSchema } from './errors.js'
import { isEmpty, type Json, toJsonSchema, withoutFields } from './json-schema.js'
import { nameServices, type ServiceNames } from './names.js'

/** What a token in the header `Authorization` is, where no strategy says more. */
export const bearer = { type: 'http', scheme: 'bearer' }

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
  readonly #descriptions: ReadonlyMap<string, ServiceDescription>
  readonly #names: ReadonlyMap<string, ServiceNames>
  readonly #responses: Record<string, unknown>

  constructor(entries: Iterable<Describable>, parts: Pick<Parts, 'schemas' | 'parameters' | 'responses'>) {
    this.#responses = parts.responses
    this.#descriptions = new Map([...entries].map((entry) => [entry.path, describe(entry)]))
    this.#names = nameServices([...this.#descriptions.keys()])
    this.components = new Components(parts, (paths) => this.#recordAt(paths.split(',')))
  }

  at(path: string): DocumentedService {
    const description = this.#descriptions.get(path) as ServiceDescription
    return { description, names: this.#names.get(path) as ServiceNames, record: this.#recordAt([path]) }
  }

  /** A schema of a method. It becomes a component, unless the method is none that others could refer to. */
  schema({ isByHeader }: MethodDescription, name: string, schema: Json): Json {
    return isByHeader ? (this.components.copy(schema, name) as Json) : this.components.add(name, schema)
  }

  /** The schema of the record that a method answers: that of its service, or a component of another name. */
  result(method: MethodDescription, { names, record }: DocumentedService, id: string, given: unknown): Json {
    const schema = given === undefined ? {} : toResult(method, given)
    if (isEmpty(schema)) return method.isCustom ? schema : record
    return this.components.find(names.one, schema) ?? this.schema(method, `${id}Result`, schema)
  }

  /** A reference to the response for an error of a status, or for any other error. */
  error(status: string): Json {
    const { name, description } = errorOf(status)
    const schema = this.components.add('Error', errorSchema)
    this.#responses[name] ??= { description, content: { 'application/json': { schema } } }
    return { $ref: `#/components/responses/${name}` }
  }

  /** The ways to prove who calls, of all services. */
  get schemes(): Record<string, SecurityScheme> {
    const methods = [...this.#descriptions.values()].flatMap((service) => service.methods)
    return Object.assign({ Bearer: bearer }, ...methods.flatMap(({ security }) => security))
  }

  #recordAt(paths: readonly string[]): Json {
    const path = String(paths.find((path) => this.#descriptions.has(path)))
    const own = this.#descriptions.get(path)?.methods.filter(({ isCustom }) => !isCustom) ?? []
    for (const method of own) {
      const given = [...responsesIn(method.schema.response)].find(([status]) => status.startsWith('2'))?.[1]
      const schema = given === undefined ? {} : toResult(method, given)
      if (!isEmpty(schema)) return this.components.add((this.#names.get(path) as ServiceNames).one, schema)
    }
    return {}
  }
}

const toResult = ({ hidden }: MethodDescription, given: unknown) => withoutFields(toJsonSchema(given, 'output'), hidden)
