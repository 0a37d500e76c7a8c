import {
  type Describable,
  describe,
  type MethodDescription,
  responsesIn,
  type ServiceDescription
} from '../core/description.js'
import type { SecurityScheme } from '../core/hooks.js'
import { Components, type Parts } from './components.js'
import { errorOf, errorSchema } from './errors.js'
import { type Json, toJsonSchema, withoutFields } from './json-schema.js'
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

/** The services of a document by path, and its components. */
export class DocumentedServices {
  readonly components: Components
  readonly #descriptions: ReadonlyMap<string, ServiceDescription>
  readonly #names: ReadonlyMap<string, ServiceNames>

  readonly #responses: Record<string, unknown>

  constructor(entries: Iterable<Describable>, parts: Parts) {
    this.#responses = parts.responses
    this.#descriptions = new Map([...entries].map((entry) => [entry.path, describe(entry)]))
    this.#names = nameServices([...this.#descriptions.keys()])
    this.components = new Components(parts, (paths) => this.#recordAt(paths.split(',')))
  }

  at(path: string): DocumentedService {
    const description = this.#descriptions.get(path) as ServiceDescription
    return { description, names: this.#names.get(path) as ServiceNames, record: this.#recordAt([path]) }
  }

  /** The schema of the record that a method answers. A component where it says something. */
  result(method: MethodDescription, name: string): Json {
    const given = successIn(method)
    const schema = given === undefined ? {} : withoutFields(toJsonSchema(given, 'output'), method.hidden)
    return Object.keys(schema).length === 0 ? {} : this.components.add(name, schema)
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
    const path = paths.find((path) => this.#descriptions.has(path))
    const own = this.#descriptions.get(String(path))?.methods.filter(({ isCustom }) => !isCustom)
    const method = own?.find((method) => successIn(method) !== undefined)
    return method === undefined ? {} : this.result(method, (this.#names.get(String(path)) as ServiceNames).one)
  }
}

/** The response schema of a method where it succeeds. */
export const successIn = ({ schema }: MethodDescription): unknown =>
  [...responsesIn(schema.response)].find(([status]) => status.startsWith('2'))?.[1]
