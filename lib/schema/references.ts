import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { isSchema, subschemasOf } from './keywords.js'
import { valueAt } from './pointer.js'

/** Resolves the references of documents. */
export class References {
  /** The document of each schema, which `#` refers to. */
  readonly #documents = new Map<JsonSchema, JsonSchema>()
  /** The address of each document. Ids within it are relative to that. */
  readonly #addresses = new Map<JsonSchema, string>()
  /** Documents by their ids, and by their addresses. */
  readonly #byId = new Map<string, JsonSchema[]>()
  readonly #byAnchor = new Map<string, JsonSchema[]>()
  readonly #parents = new Map<JsonSchema, JsonSchema>()

  constructor(documents: readonly JsonSchema[]) {
    for (const document of documents) this.#add(document, document)
  }

  #add(schema: SchemaValue, document: JsonSchema): void {
    if (!isSchema(schema) || this.#documents.has(schema)) return
    const id = typeof schema.$id === 'string' ? schema.$id.replace(/#$/, '') : ''
    const isDocument = id !== '' && !id.startsWith('#')
    const base = isDocument ? schema : document
    this.#documents.set(schema, base)
    if (isDocument) {
      const address = toAddress(id, this.#addressOf(document))
      this.#addresses.set(schema, address)
      for (const key of new Set([id, address])) addTo(this.#byId, key, schema)
    } else if (id !== '') addTo(this.#byAnchor, id.slice(1), schema)
    if (typeof schema.$anchor === 'string') addTo(this.#byAnchor, schema.$anchor, schema)
    for (const [part] of subschemasOf(schema)) {
      if (isSchema(part)) this.#parents.set(part, schema)
      this.#add(part, base)
    }
  }

  #addressOf(document: JsonSchema): string {
    return this.#addresses.get(document) ?? noAddress
  }

  /**
   * Returns the schema that a reference leads to, and skips schemas that are nothing but
   * references.
   * @throws {TypeError} if these lead in a circle
   */
  follow(source: JsonSchema): SchemaValue | undefined {
    const visited = new Set<JsonSchema>()
    let schema = source
    for (;;) {
      if (visited.has(schema)) throw new TypeError(`The reference '${source.$ref}' leads to itself alone`)
      visited.add(schema)
      const target = this.#find(String(schema.$ref), schema)
      if (!isSchema(target) || Object.keys(target).join() !== '$ref') return target
      schema = target
    }
  }

  #find(reference: string, from: JsonSchema): SchemaValue | undefined {
    const [id = '', fragment = ''] = reference.split('#')
    const base = this.#documents.get(from) as JsonSchema
    // A reference may have a whole id, or only its last segment.
    const keys = [toAddress(id, this.#addressOf(base)), id, id.split('/').at(-1) as string]
    const named = () => keys.map((key) => this.#nearest(this.#byId.get(key), from)).find(Boolean)
    const document = id === '' ? base : named()
    if (fragment !== '' && !fragment.startsWith('/')) {
      const anchored = this.#byAnchor.get(fragment) ?? []
      const within = anchored.filter((schema) => this.#documents.get(schema) === document)
      return this.#nearest(within.length > 0 || id !== '' ? within : anchored, from)
    }
    // The schema of a field may have definitions of its own, and refer to them as if they were at
    // the root.
    for (let root = document, around = id === '' ? from : undefined; root !== undefined; ) {
      const target = valueAt(root, fragment)
      if (isSchema(target)) this.#add(target, document as JsonSchema)
      if (isSchema(target) || typeof target === 'boolean') return target
      root = around
      around = around && this.#parents.get(around)
    }
    return undefined
  }

  /**
   * Returns the nearest of several schemas with one id or anchor: fields with definitions of their
   * own may repeat them.
   */
  #nearest(schemas: readonly JsonSchema[] = [], from: JsonSchema): JsonSchema | undefined {
    if (schemas.length < 2) return schemas[0]
    const isWithin = (parent: JsonSchema) => (schema: JsonSchema) => this.#around(schema).includes(parent)
    for (const parent of this.#around(from)) {
      const nearest = schemas.find(isWithin(parent))
      if (nearest !== undefined) return nearest
    }
    return schemas[0]
  }

  #around(schema: JsonSchema): JsonSchema[] {
    const parent = this.#parents.get(schema)
    return [schema, ...(parent === undefined ? [] : this.#around(parent))]
  }
}

const addTo = (map: Map<string, JsonSchema[]>, key: string, schema: JsonSchema) =>
  map.set(key, [...(map.get(key) ?? []), schema])

/** The address of documents without an id. */
const noAddress = 'schema:/'

function toAddress(id: string, base: string): string {
  try {
    return new URL(id, base).href
  } catch {
    return id
  }
}
