import { copySchema, isObject, type Json } from './json-schema.js'
import { toPascal, wordsOf } from './names.js'

const place = '#/components/schemas/'

/** The name of a component for an id of a schema: `http://my.app/post#` → `post`. */
export const toComponentName = (id: string) =>
  id
    .replace(/#$/, '')
    .split(/[/#]/)
    .filter(Boolean)
    .at(-1)
    ?.replace(/[^\w.-]/g, '_') ?? 'schema'

/** What stands under `components` in a document, by kind. */
export type Parts = Record<'schemas' | 'parameters' | 'responses' | 'securitySchemes', Record<string, unknown>>

/** The schemas and parameters of a document that others refer to. */
export class Components {
  readonly schemas: Record<string, unknown>
  readonly parameters: Record<string, unknown>
  /** What was added, as text, by the name that it got. */
  readonly #sources = new Map<string, string>()
  /** The references to definitions within schemas. */
  readonly #moved = new WeakMap<object, Json>()
  /** Finds the record of a service, which `$ref: 'service:users'` stands for. */
  readonly #recordOf: (path: string) => Json

  constructor({ schemas, parameters }: Pick<Parts, 'schemas' | 'parameters'>, recordOf: (path: string) => Json) {
    this.schemas = schemas
    this.parameters = parameters
    this.#recordOf = recordOf
  }

  /**
   * Adds a schema, and returns what refers to it. One that is there already, under this name or with a number behind it, is not added again.
   * @param found the definition within another schema that it was
   */
  add(name: string, schema: Json, found: object = schema): Json {
    if (typeof schema.$ref === 'string') return this.copy(schema, name) as Json
    const source = JSON.stringify(schema)
    for (let number = 1; ; number++) {
      const key = number === 1 ? name : `${name}${number}`
      const reference = { $ref: place + key }
      if (this.#sources.get(key) === source) return reference
      if (Object.hasOwn(this.schemas, key)) continue
      // It may refer to itself.
      this.#sources.set(key, source)
      this.#moved.set(found, reference)
      this.schemas[key] = {}
      this.schemas[key] = this.copy(schema, key)
      return reference
    }
  }

  /** What refers to a schema that was added under a name. */
  find(name: string, schema: Json): Json | undefined {
    return this.#sources.get(name) === JSON.stringify(schema) ? { $ref: place + name } : undefined
  }

  /** Adds a parameter, which several operations have, and returns what refers to it. */
  addParameter(name: string, parameter: Json): Json {
    const text = JSON.stringify(parameter)
    for (let number = 1; ; number++) {
      const key = number === 1 ? name : `${name}${number}`
      this.parameters[key] ??= parameter
      if (JSON.stringify(this.parameters[key]) === text) return { $ref: `#/components/parameters/${key}` }
    }
  }

  /** A copy of a schema for the document. What it defines, or has under an id of its own, becomes a component. */
  copy(schema: Json, name: string): unknown {
    return copySchema(schema, (inner) => {
      const { $ref, $id } = inner
      if (typeof $ref === 'string') return this.#refer($ref, schema, name)
      if (typeof $id !== 'string' || inner === schema) return undefined
      const { $id: _, ...rest } = inner
      return this.add(toComponentName($id), rest, inner)
    })
  }

  #refer($ref: string, root: Json, name: string): Json {
    if ($ref.startsWith('service:')) return this.#recordOf($ref.slice('service:'.length))
    if ($ref === '#' || $ref === root.$id) return { $ref: place + name }
    const [, keyword = '', key = '', rest = ''] = /^#\/(definitions|\$defs)\/([^/]+)(.*)$/.exec($ref) ?? []
    const found = (root[keyword] as Json | undefined)?.[decodeURIComponent(key)]
    if (isObject(found)) {
      const { definitions, $defs } = root
      const add = () => this.add(toPascal([name, ...wordsOf(key)]), { ...found, definitions, $defs }, found)
      return { $ref: `${(this.#moved.get(found) ?? add()).$ref}${rest}` }
    }
    if ($ref.startsWith(place)) return { $ref }
    if ($ref.startsWith('#/')) return { $ref: `${place}${name}${$ref.slice(1)}` }
    const [id = '', fragment = ''] = $ref.split('#')
    return { $ref: `${place}${toComponentName(id)}${fragment}` }
  }
}
