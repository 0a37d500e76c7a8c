import type { FieldOf, JsonSchema, Resource, ResourceOptions } from '../../../types/resource.js'
import { methods } from '../methods.js'
import { checkOptionNames } from '../option-names.js'
import { type BodyRules, toBodySchema, toSample, withoutDefaults } from './body.js'
import { filesOf } from './files.js'
import { isFlagged, withoutFlagged } from './flags.js'
import { toJsonSchema } from './json-schema.js'
import { type RecordSchema, toRecordSchema } from './normal-form.js'
import { type QueryRules, toQueryRules, toQuerystring } from './query-rules.js'
import { refuseEndless } from './response.js'
import { validateOf, waitingOf } from './validate.js'

/** What the server needs of a method beside its JSON Schemas. */
export interface MethodRules {
  readonly method: string
  /** The record as it leaves. */
  readonly record: JsonSchema
  readonly query: QueryRules
  readonly querystring: JsonSchema
  readonly body: BodyRules | undefined
}

const key = Symbol('rules of a resource')

/** Returns the rules of a schema that `resource()` has made for a method. */
export const rulesOf = (schema: object | undefined): MethodRules | undefined =>
  (schema as { [key]?: MethodRules } | undefined)?.[key]

const options = {
  readOnly: true,
  writeOnly: true,
  create: true,
  update: true,
  patch: true,
  query: true,
  response: true,
  operators: true,
  filter: true,
  sort: true
} satisfies Record<keyof ResourceOptions, true>

/**
 * Says once what a record is: returns the option `schema` of a service. From it follow what `create`, `update` and `patch` accept, what a query may say, what
 * leaves, and the types of the service on both sides.
 *
 * @param schema of one record: a JSON Schema (TypeBox), or a Standard Schema that gives JSON Schema (zod, ArkType, Valibot)
 * @throws {TypeError} when the schema is of another kind, or is not that of an object
 *
 * @example
 * const posts = resource(Type.Object({ id: Type.Integer(), title: Type.String() }), { readOnly: ['id'] })
 * app.service('posts', new PostService(), { schema: posts })
 */
export function resource<const S, const O extends ResourceOptions<FieldOf<S>> = ResourceOptions<FieldOf<S>>>(
  schema: S,
  given?: O
): Resource<S, O>
export function resource(schema: unknown, given: ResourceOptions = {}): object {
  checkOptionNames(given, Object.keys(options), 'resource() has')
  const sent = marked(toRecordSchema(toJsonSchema(schema, 'input')), given)
  const kept = marked(toRecordSchema(toJsonSchema(given.response ?? schema, 'output')), given)
  checkNames({ ...kept.properties, ...sent.properties }, given)
  const rules = toQueryRules(kept, given, given.query === undefined ? {} : toParameters(given.query))
  const readOnly = Object.keys(sent.properties).filter((name) => sent.properties[name]?.readOnly === true)
  const response = withoutFlagged(kept, 'writeOnly', definitionsOf(kept))
  refuseEndless(response, definitionsOf(response))
  return Object.fromEntries(
    [...methods].map(([method, { arguments: names }]) => {
      const body = names.includes('data') ? toBody(method, schema, sent, readOnly, given) : undefined
      const querystring = toQuerystring(rules, method)
      return [
        method,
        {
          querystring,
          ...(body && { body: body.schema }),
          response,
          [key]: { method, record: response, query: rules, querystring, body } satisfies MethodRules
        }
      ]
    })
  )
}

const definitionsOf = ({ $defs = {} }: JsonSchema) => $defs as Record<string, JsonSchema>

/** With the fields that the options name, and those that refer to such a schema, marked as JSON Schema does it. */
function marked(record: RecordSchema, { readOnly = [], writeOnly = [] }: ResourceOptions): RecordSchema {
  const has = (schema: JsonSchema, flag: 'readOnly' | 'writeOnly') => isFlagged(schema, flag, definitionsOf(record))
  const files = filesOf(record)
  const properties = Object.entries(record.properties).map(([name, schema]) => [
    name,
    {
      ...schema,
      ...((readOnly.includes(name) || has(schema, 'readOnly')) && { readOnly: true }),
      // JSON has no files.
      ...((writeOnly.includes(name) || files.has(name) || has(schema, 'writeOnly')) && { writeOnly: true })
    }
  ])
  return { ...record, properties: Object.fromEntries(properties) }
}

function toBody(
  method: string,
  schema: unknown,
  sent: RecordSchema,
  readOnly: string[],
  given: ResourceOptions
): BodyRules {
  const isPart = method === 'patch'
  const own = isPart ? given.patch : method === 'update' ? (given.update ?? given.create) : given.create
  if (own !== undefined) {
    const record = toRecordSchema(toJsonSchema(own, 'input'))
    const rules = {
      readOnly: readOnly.filter((name) => !Object.hasOwn(record.properties, name)),
      validate: waitingOf(own)
    }
    return isPart ? { ...rules, ...withoutDefaults(record) } : { ...rules, schema: record }
  }
  const body = { schema: toBodySchema(sent, readOnly, isPart), readOnly }
  const validate = validateOf(schema)
  // What is checked of a whole record can't be checked of a part.
  if (isPart || validate === undefined) return body
  return { ...body, validate: waitingOf(schema), sample: toSample(sent, readOnly, validate) }
}

const toParameters = (schema: unknown): Record<string, JsonSchema> => {
  const { properties, $defs } = toRecordSchema(toJsonSchema(schema, 'input'))
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, $defs === undefined ? one : { ...one, $defs }])
  )
}

function checkNames(
  properties: object,
  { readOnly = [], writeOnly = [], filter = [], sort = [] }: ResourceOptions
): void {
  const names = Object.keys(properties)
  const odd = names.find((name) => /^\$|[[\]]/.test(name) || name in Object.prototype)
  if (odd !== undefined) throw new TypeError(`resource() can't have a field '${odd}': a query can't name it`)
  const unknown = [...readOnly, ...writeOnly, ...filter, ...sort].find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new TypeError(`resource() knows no field '${unknown}', which an option names. There are: ${names.join(', ')}`)
}
