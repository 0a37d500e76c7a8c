import type { JsonSchema } from '../../../types/resource.js'
import { mapParts } from './parts.js'

/** A schema of one record in the form that the rest of `resource()` reads, whatever library it comes from. */
export interface RecordSchema extends JsonSchema {
  type: 'object'
  properties: Record<string, JsonSchema>
  required: string[]
}

/**
 * Brings the schema of a record into one form: the object itself at the root, references by `#/$defs/`, a union of constants as `enum`, what may be
 * `null` with `null` among its types, and objects closed unless they say otherwise.
 *
 * @throws {TypeError} when it is not the schema of an object
 */
export function toRecordSchema(schema: JsonSchema): RecordSchema {
  const { definitions, $defs, $id, $schema, ...root } = schema
  const names = new Map<unknown, string>()
  const all: Record<string, JsonSchema> = {}
  const toRef = (ref: string) =>
    ref === '#'
      ? '#/$defs/record'
      : names.has(ref)
        ? `#/$defs/${names.get(ref)}`
        : ref.replace('#/definitions/', '#/$defs/')
  // A field may have definitions, too: they move to the root.
  const define = (defs: Record<string, JsonSchema>) => {
    for (const [name, { $id }] of Object.entries(defs)) names.set($id, name)
    for (const [name, one] of Object.entries(defs)) {
      const simple = simplify(one, scope)
      if (Object.hasOwn(all, name) && JSON.stringify(all[name]) !== JSON.stringify(simple))
        throw new TypeError(`resource() can't tell apart two definitions of the name '${name}': give one another name`)
      all[name] = simple
    }
  }
  const scope = { definitions: all, toRef, define }
  define({ ...(definitions as object), ...($defs as object) })
  // What refers to the root itself needs a name for it.
  if (JSON.stringify(schema).includes('"$ref":"#"')) define({ record: root })
  const record = join(simplify(root, scope), all)
  if (record.type !== 'object' || record.properties === undefined)
    throw new TypeError('resource() needs the schema of an object with its properties: that of one record')
  return {
    ...record,
    type: 'object',
    properties: withoutFalse(record.properties as Record<string, JsonSchema>),
    required: (record.required ?? []) as string[],
    additionalProperties: record.additionalProperties ?? false,
    ...(Object.keys(all).length > 0 && { $defs: all })
  }
}

/** With an object in place of `false`, which nothing fits: the rest of `resource()` adds to the schema of a field. */
const withoutFalse = (properties: Record<string, JsonSchema | false>): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, schema === false ? { not: {} } : schema])
  )

/** What a reference leads to, and the parts of an intersection, in one object. */
export function join(schema: JsonSchema, defs: Record<string, JsonSchema>): JsonSchema {
  const { $ref, allOf, ...rest } = schema
  const target = defs[String($ref).replace('#/$defs/', '')]
  const parts = [...((allOf ?? []) as JsonSchema[]), ...(target === undefined ? [] : [target])].map((part) =>
    join(part, defs)
  )
  if (parts.length === 0) return rest
  const all = [rest, ...parts]
  return {
    ...Object.assign({}, ...parts, rest),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required }) => (required ?? []) as string[])
  }
}

interface Scope {
  readonly definitions: Record<string, JsonSchema>
  toRef(ref: string): string
  define(definitions: Record<string, JsonSchema>): void
}

function simplify(schema: JsonSchema, scope: Scope, isPart = false): JsonSchema {
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, nullable, $defs, definitions, ...own } = schema
  scope.define({ ...(definitions as object), ...($defs as object) })
  if (typeof own.$ref === 'string') own.$ref = scope.toRef(own.$ref)
  // A part of an intersection must let the fields of the others pass.
  let node = mapParts(own, (part, keyword) => simplify(part, scope, keyword === 'allOf'))
  node = isJoinable(node, scope) ? join(node, scope.definitions) : withoutWrapper(node, nullable === true)
  const isOpen = isPart || node.allOf !== undefined || node.patternProperties !== undefined
  if (node.properties !== undefined && node.additionalProperties === undefined && !isOpen)
    node.additionalProperties = false
  if (node.const !== undefined) {
    node.enum = [node.const]
    delete node.const
  }
  return withNull(toEnum(node), nullable === true)
}

const constraint =
  /^(\$ref|type|enum|const|not|anyOf|oneOf|if|then|else|items|prefixItems|contains|format|pattern(Properties)?|propert(ies|yNames)|required|uniqueItems|multipleOf)$|^(additional|unevaluated|dependen|min|max|exclusive)/

/** A reference alone in an intersection, as Zod writes it for a field that may be absent, is the reference. */
function withoutWrapper(node: JsonSchema, isNullable: boolean): JsonSchema {
  const { allOf = [], ...rest } = node
  const [part, ...others] = allOf as JsonSchema[]
  const isAlone = part?.$ref !== undefined && Object.keys(part).length + others.length === 1
  if (!isAlone || Object.keys(rest).some((key) => constraint.test(key))) return node
  return isNullable ? { ...rest, anyOf: [part, { type: 'null' }] } : { ...rest, $ref: part.$ref }
}

/** Whether the parts of an intersection are objects that have no field in common. */
function isJoinable({ allOf = [], properties = {} }: JsonSchema, { definitions }: Scope): boolean {
  const parts = (allOf as JsonSchema[]).map((part) => join(part, definitions))
  const names = [{ properties }, ...parts].flatMap((part) => Object.keys(Object(part.properties)))
  const isPlain = ({ properties, anyOf, oneOf, patternProperties }: JsonSchema) =>
    properties !== undefined && (anyOf ?? oneOf ?? patternProperties) === undefined
  return parts.length > 0 && parts.every(isPlain) && new Set(names).size === names.length
}

/** A union of constants is a list of values. */
function toEnum(node: JsonSchema): JsonSchema {
  const { anyOf, oneOf, ...rest } = node
  const branches = (anyOf ?? oneOf) as JsonSchema[] | undefined
  if (branches === undefined || !branches.every((branch) => Array.isArray(branch.enum) || branch.type === 'null'))
    return node
  const values = branches.flatMap((branch) => (branch.type === 'null' ? [null] : branch.enum))
  return values.every((value) => value === null) ? node : { ...rest, enum: values, ...typed(values) }
}

function typed(values: unknown[]): { type?: unknown } {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  return { type: types.length === 1 ? types[0] : types }
}

/** What may be `null` has it among its types. */
function withNull(node: JsonSchema, isNullable: boolean): JsonSchema {
  const { anyOf, ...rest } = node
  const branches = anyOf as JsonSchema[] | undefined
  if (branches?.length === 2) {
    const other = branches.find((branch) => branch.type !== 'null')
    const hasNull = branches.some((branch) => branch.type === 'null')
    if (hasNull && typeof other?.type === 'string') return withNull({ ...other, ...rest }, true)
  }
  if (!isNullable || typeof node.type !== 'string') return node
  const values = node.enum as unknown[] | undefined
  return { ...node, type: [node.type, 'null'], ...(values && { enum: [...new Set([...values, null])] }) }
}
