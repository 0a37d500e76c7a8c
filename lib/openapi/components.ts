import { copySchema, definitionAt, type Json } from './json-schema.js'
import { numbered, toPascal, wordsOf } from './names.js'

const place = '#/components/schemas/'

/** `http://my.app/post#` → `post` */
const toComponentName = (id: string) =>
  id
    .replace(/[#/]+$/, '')
    .replace(/^.*[/#]/, '')
    .replace(/[^\w.-]/g, '_')

/** The names of components for the ids of schemas: no two ids have the same. */
export class ComponentNames {
  readonly #byId = new Map<string, string>()

  /** The name for an id: `http://my.app/post#` → `post`, and `http://my.app/old/post` → `post2`. */
  add(id: string): string {
    const key = id.replace(/#$/, '')
    const names = new Set(this.#byId.values())
    const name = this.#byId.get(key) ?? numbered(toComponentName(key), (free) => !names.has(free))
    this.#byId.set(key, name)
    return name
  }
}

/** What stands under `components` in a document, by kind. */
export type Parts = Record<'schemas' | 'parameters' | 'responses' | 'securitySchemes', Record<string, unknown>>

/** The schema that `#` stands for, and its name. */
interface Root {
  readonly schema: Json
  readonly name: string
}

/** A schema, or its definition where it is no more than a reference to that, as zod writes what has an `id`. */
function wholeOf(schema: Json): Json {
  const definition = definitionAt(schema, schema.$ref)
  return definition?.rest === '' ? definition.schema : schema
}

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
  readonly #names: ComponentNames
  /** The schemas of `app.addSchema`, by the names of their components. */
  readonly #shared: ReadonlyMap<string, Json>

  constructor(
    { schemas, parameters }: Pick<Parts, 'schemas' | 'parameters'>,
    recordOf: (path: string) => Json,
    names: ComponentNames,
    shared: Readonly<Record<string, unknown>>
  ) {
    this.schemas = schemas
    this.parameters = parameters
    this.#recordOf = recordOf
    this.#names = names
    this.#shared = new Map(Object.entries(shared).map(([id, schema]) => [names.add(id), schema as Json]))
  }

  /**
   * Adds a schema, and returns what refers to it. One that is there already, under this name or with a number behind it, is not added again.
   * @param root the schema that it is defined in
   */
  add(name: string, schema: Json, root?: Root): Json {
    const whole = wholeOf(schema)
    if (whole !== schema) return this.add(name, whole, { schema, name })
    if (typeof schema.$ref === 'string') return this.copy(schema, name, root) as Json
    const source = JSON.stringify(schema)
    const key = numbered(name, (key) => this.#sources.get(key) === source || !Object.hasOwn(this.schemas, key))
    const reference = { $ref: place + key }
    if (this.#sources.get(key) === source) return reference
    // A schema may refer to itself.
    this.#sources.set(key, source)
    this.#moved.set(schema, reference)
    this.schemas[key] = {}
    this.schemas[key] = this.copy(schema, key, root)
    return reference
  }

  /** What refers to a schema that was added under a name. */
  find(name: string, schema: Json): Json | undefined {
    return this.#sources.get(name) === JSON.stringify(wholeOf(schema)) ? { $ref: place + name } : undefined
  }

  /** Adds a parameter, which several operations have, and returns what refers to it. */
  addParameter(name: string, parameter: Json): Json {
    const text = JSON.stringify(parameter)
    const key = numbered(toComponentName(name), (key) =>
      [undefined, text].includes(JSON.stringify(this.parameters[key]))
    )
    this.parameters[key] = parameter
    return { $ref: `#/components/parameters/${key}` }
  }

  /** A copy of a schema for the document. What it defines, or has under an id of its own, becomes a component. */
  copy(schema: Json, name: string, root: Root = { schema, name }): unknown {
    return copySchema(schema, (inner) => {
      const { $ref, $id, ...rest } = inner
      if (typeof $ref === 'string') return this.#refer($ref, root)
      return typeof $id !== 'string' || inner === schema ? undefined : this.add(this.#names.add($id), rest)
    })
  }

  #refer($ref: string, root: Root): Json {
    if ($ref.startsWith('service:')) return this.#recordOf($ref.slice('service:'.length))
    if ($ref === '#' || $ref === root.schema.$id) return { $ref: place + root.name }
    const definition = definitionAt(root.schema, $ref)
    if (definition !== undefined) {
      const { schema, name, rest } = definition
      const moved = this.#moved.get(schema) ?? this.add(toPascal([root.name, ...wordsOf(name)]), schema, root)
      return { $ref: `${moved.$ref}${rest}` }
    }
    if ($ref.startsWith(place)) return { $ref }
    if ($ref.startsWith('#/')) return { $ref: `${place}${root.name}${$ref.slice(1)}` }
    const [id = '', fragment = ''] = $ref.split('#')
    const name = this.#names.add(id)
    const schema = this.#shared.get(name)
    if (schema === undefined || !fragment.startsWith('/')) return { $ref: `${place}${name}${fragment}` }
    return this.#findMoved(name, fragment) ?? this.#refer(`#${fragment}`, { schema, name })
  }

  /** What refers to a definition of a shared schema: `@fastify/swagger` makes `shared-money` of `shared#/$defs/money`. */
  #findMoved(name: string, fragment: string): Json | undefined {
    const [, key = '', rest = ''] = /^\/(?:definitions|\$defs)\/([\w.-]+)(.*)$/.exec(fragment) ?? []
    const moved = `${name}-${key}`
    const isMoved = key !== '' && Object.hasOwn(this.schemas, moved) && !this.#shared.has(moved)
    return isMoved ? { $ref: `${place}${moved}${rest}` } : undefined
  }
}
