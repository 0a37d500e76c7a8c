import { definitionAt, type Json, resolveRoot, toOpenAPI } from './json-schema.js'
import { numbered, takeName, toPascal, wordsOf } from './names.js'

const prefix = '#/components/schemas/'

/** `http://my.app/post#` → `post` */
const toComponentName = (id: string) =>
  id
    .replace(/[#/]+$/, '')
    .replace(/^.*[/#]/, '')
    .replace(/[^\w.-]/g, '_')

/** Names components by the ids of schemas, so that no two ids share a name. */
export class ComponentNames {
  readonly #byId = new Map<string, string>()

  /** Returns the name for an id: `http://my.app/post#` → `post`, then `/old/post` → `post2`. */
  add(id: string): string {
    const key = id.replace(/#$/, '')
    const name = this.#byId.get(key) ?? takeName(toComponentName(key), new Set(this.#byId.values()))
    this.#byId.set(key, name)
    return name
  }
}

/** The `components` of a document that services add to. */
export type ComponentMaps = Record<'schemas' | 'parameters' | 'responses', Record<string, unknown>>

/** The schema that `#` refers to, and the name of its component. */
interface Root {
  readonly schema: Json
  readonly name: string
}

export class Components {
  readonly schemas: Record<string, unknown>
  readonly #parameters: Record<string, unknown>
  /** The JSON of each schema that was added, by the name of its component. */
  readonly #sources = new Map<string, string>()
  /** References to the components of definitions. */
  readonly #moved = new Map<object, Json>()
  /** Returns the reference for `$ref: 'service:users'`. */
  readonly #recordOf: (path: string) => Json
  readonly #names: ComponentNames
  /** The schemas of `app.addSchema`, by the names of their components. */
  readonly #shared: ReadonlyMap<string, Json>

  constructor(
    { schemas, parameters }: ComponentMaps,
    recordOf: (path: string) => Json,
    names: ComponentNames,
    shared: Readonly<Record<string, unknown>>
  ) {
    this.schemas = schemas
    this.#parameters = parameters
    this.#recordOf = recordOf
    this.#names = names
    this.#shared = new Map(Object.entries(shared).map(([id, schema]) => [names.add(id), schema as Json]))
  }

  /**
   * Adds a schema and returns the reference to it. An equal schema of that name is added once, and
   * another one gets a number.
   * @param root the schema whose definition it is
   */
  add(name: string, schema: Json, root?: Root): Json {
    const resolved = resolveRoot(schema)
    if (resolved !== schema) return this.add(name, resolved, { schema, name })
    if (typeof schema.$ref === 'string') return this.copy(schema, name, root)
    const source = JSON.stringify(schema)
    const key = numbered(name, (key) => this.#sources.get(key) === source || !Object.hasOwn(this.schemas, key))
    const reference = { $ref: prefix + key }
    if (this.#sources.get(key) === source) return reference
    // Set before the copy is made, since a schema may refer to itself.
    this.#sources.set(key, source)
    this.#moved.set(schema, reference)
    this.schemas[key] = {}
    this.schemas[key] = this.copy(schema, key, root)
    return reference
  }

  find(name: string, schema: Json): Json | undefined {
    return this.#sources.get(name) === JSON.stringify(resolveRoot(schema)) ? { $ref: prefix + name } : undefined
  }

  /** Adds a parameter that operations share, and returns the reference to it. */
  addParameter(name: string, parameter: Json): Json {
    const text = JSON.stringify(parameter)
    const key = numbered(toComponentName(name), (key) =>
      [undefined, text].includes(JSON.stringify(this.#parameters[key]))
    )
    this.#parameters[key] = parameter
    return { $ref: `#/components/parameters/${key}` }
  }

  /** Copies a schema. Its definitions, and schemas in it with an `$id`, become components. */
  copy(schema: Json, name: string, root: Root = { schema, name }): Json {
    return toOpenAPI(schema, (inner) => {
      const { $ref, $id, ...rest } = inner
      if (typeof $ref === 'string') return this.#refer($ref, root)
      return typeof $id !== 'string' || inner === schema ? undefined : this.add(this.#names.add($id), rest)
    }) as Json
  }

  #refer($ref: string, root: Root): Json {
    if ($ref.startsWith('service:')) return this.#recordOf($ref.slice('service:'.length))
    if ($ref === '#' || $ref === root.schema.$id) return { $ref: prefix + root.name }
    const definition = definitionAt(root.schema, $ref)
    if (definition !== undefined) {
      const { schema, name, rest } = definition
      const moved = this.#moved.get(schema) ?? this.add(toPascal([root.name, ...wordsOf(name)]), schema, root)
      return { $ref: `${moved.$ref}${rest}` }
    }
    if ($ref.startsWith(prefix)) return { $ref }
    if ($ref.startsWith('#/')) return { $ref: `${prefix}${root.name}${$ref.slice(1)}` }
    const [id = '', fragment = ''] = $ref.split('#')
    const name = this.#names.add(id)
    const schema = this.#shared.get(name)
    if (schema === undefined || !fragment.startsWith('/')) return { $ref: `${prefix}${name}${fragment}` }
    // `@fastify/swagger` makes `shared-money` of `shared#/$defs/money` if a route uses it.
    const { name: key, rest = '' } = definitionAt(schema, `#${fragment}`) ?? {}
    const moved = `${name}-${key}`
    const isMoved = Object.hasOwn(this.schemas, moved) && !this.#shared.has(moved)
    return isMoved ? { $ref: `${prefix}${moved}${rest}` } : this.#refer(`#${fragment}`, { schema, name })
  }
}
