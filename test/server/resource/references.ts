/** A JSON Schema that is an object. */
export type Node = { readonly [keyword: string]: unknown }
export type Schema = Node | boolean

// What stands within a schema: a schema, a list of them, or an object whose values are schemas.
const single = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties'
]
const lists = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']
const maps = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isSchema = (value: unknown): value is Schema => isNode(value) || typeof value === 'boolean'

/** The schemas of a keyword that has a list of them, such as `allOf`. */
export const listOf = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value : [])
/** The schemas of a keyword that has them by name, such as `properties`. */
export const mapOf = (value: unknown): ReadonlyMap<string, Schema> =>
  new Map(Object.entries(isNode(value) ? value : {}).filter((entry): entry is [string, Schema] => isSchema(entry[1])))

/** All schemas that stand directly within another one. */
function within(node: Node): Schema[] {
  return [
    ...single.map((keyword) => node[keyword]).filter(isSchema),
    ...lists.flatMap((keyword) => listOf(node[keyword])),
    ...maps.flatMap((keyword) => [...mapOf(node[keyword]).values()])
  ]
}

/**
 * The schemas that references lead to, by the rules of JSON Schema: `$id` changes the base that references below it are resolved against, `$anchor` names a
 * schema, and a pointer begins at the nearest `$id` above.
 */
export class References {
  readonly #bases = new Map<Node, string>()
  readonly #targets = new Map<string, Schema>()
  readonly #resolved = new Map<Node, Schema>()

  /** @param shared schemas beside the document, each with an `$id` */
  constructor(document: Schema, shared: readonly Node[] = []) {
    for (const root of [document, ...shared]) {
      this.#targets.set('record:/', document)
      this.#read(root, 'record:/')
    }
  }

  #read(schema: Schema, base: string): void {
    if (!isNode(schema)) return
    const id = typeof schema.$id === 'string' ? new URL(schema.$id, base).href.replace(/#$/, '') : base
    const isAnchor = id.includes('#')
    if (id !== base) this.#targets.set(id, schema)
    const inner = isAnchor ? base : id
    if (typeof schema.$anchor === 'string') this.#targets.set(`${inner}#${schema.$anchor}`, schema)
    this.#bases.set(schema, inner)
    for (const part of within(schema)) this.#read(part, inner)
  }

  /** The schema that the `$ref` of another one leads to. @throws {Error} where there is none */
  target(node: Node): Schema | undefined {
    if (typeof node.$ref !== 'string') return undefined
    const target = this.#resolved.get(node) ?? this.#resolve(node, node.$ref)
    this.#resolved.set(node, target)
    return target
  }

  #resolve(node: Node, ref: string): Schema {
    const url = new URL(ref, this.#bases.get(node) ?? 'record:/').href.replace(/#$/, '')
    const named = this.#targets.get(url)
    if (named !== undefined) return named
    const [document = '', pointer = ''] = url.split('#')
    let place: unknown = this.#targets.get(document)
    for (const part of pointer.split('/').slice(1))
      place = Object(place)[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')]
    if (!pointer.startsWith('/') || !isSchema(place)) throw new Error(`There is no schema at ${ref}`)
    if (isNode(place) && !this.#bases.has(place)) this.#read(place, document)
    return place
  }
}
