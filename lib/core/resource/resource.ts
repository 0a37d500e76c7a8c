import type { FieldOf, JsonSchema, Resource, ResourceOptions } from '../../../types/resource.js'
import { fieldKeywords } from '../../schema/keywords.js'
import type { Shape, Shapes } from '../../schema/shape.js'
import { WrittenSchema } from '../../schema/written-schema.js'
import { methods } from '../methods.js'
import { checkOptionNames, checkOptionsObject, hintFor, inspect } from '../options.js'
import { BodySchemas } from './body-rules.js'
import { closedMethods, toCustomMethods } from './custom-methods.js'
import { filesOf } from './files.js'
import { assertHasFields, outputOf, readSides } from './json-schema.js'
import { type MethodRules, type RecordRules, rulesKey } from './method-rules.js'
import { isQueryable, querystringsOf, readParameters, toQueryRules } from './query-rules.js'

const resourceOptionNames = {
  readOnly: true,
  writeOnly: true,
  lists: true,
  create: true,
  update: true,
  patch: true,
  query: true,
  settable: true,
  response: true,
  operators: true,
  filter: true,
  sort: true,
  methods: true
} satisfies Record<keyof ResourceOptions, true>

/**
 * Creates the option `schema` of a service from the schema of a record. It decides the bodies of
 * `create`, `update` and `patch`, the queries, the answers, and the types of the service on both
 * sides.
 *
 * @param schema of one record: a JSON Schema (TypeBox), or a Standard Schema that gives JSON Schema
 * (zod, ArkType, Valibot)
 * @throws {TypeError} if the schema is of another kind, or not of an object
 *
 * @example
 * const record = Type.Object({ id: Type.Integer(), title: Type.String() })
 * const posts = resource(record, { readOnly: ['id'] })
 * app.service('posts', new PostService(), { schema: posts })
 */
export function resource<const S, const O extends ResourceOptions<FieldOf<S>> = ResourceOptions<FieldOf<S>>>(
  schema: S,
  options?: O
): Resource<S, O>
export function resource(schema: unknown, options: ResourceOptions = {}): object {
  try {
    return createSchemas(schema, options)
  } catch (error) {
    // The copies of a deep schema would fill the stack, and hide the line of the application.
    if (error instanceof Error) Error.captureStackTrace(error, resource)
    throw error
  }
}

function createSchemas(schema: unknown, options: ResourceOptions): object {
  checkOptionsObject('resource()', options)
  checkOptionNames(options, Object.keys(resourceOptionNames), 'resource() has')
  const sides = readSides(schema)
  const output = outputOf(options.response === undefined ? sides : readSides(options.response))
  const flagged = flaggedBy(options, output.document)
  const outgoing = new WrittenSchema(output.document, { flagged })
  const hasOwnResponse = options.response !== undefined
  // Most schemas are the same on both sides, and each costs as much as the routes of its service.
  const isSame = sides.input.document === output.document
  const input = isSame ? outgoing : new WrittenSchema(sides.input.document, { flagged })
  const bodies = new BodySchemas(schema, input, hasOwnResponse ? outgoing : undefined, flagged)
  const incoming = bodies.record
  assertRecord(incoming, outgoing)
  checkRequired(incoming)
  checkNames([...allFields(incoming.shapes).names, ...allFields(outgoing.shapes).names], options)
  const query = toQueryRules(allFields(outgoing.shapes), options, readParameters(options.query))
  const response = outgoing.documentWithout('writeOnly')
  const all: MethodRules[] = []
  const record: RecordRules = {
    incoming,
    outgoing: { written: outgoing, converts: !output.isOfInput },
    hasOwnResponse,
    closed: closedMethods(options.methods),
    get bodies() {
      return all.flatMap(({ body }) => (body?.isOwn ? [body.written] : []))
    }
  }
  const querystringOf = querystringsOf(query)
  const bodyRules = bodies.toRules(options)
  for (const method of methods.keys())
    all.push({
      method,
      response,
      record,
      outgoing: record.outgoing,
      query,
      querystring: querystringOf(method),
      body: bodyRules.get(method),
      custom: undefined
    })
  if (options.methods !== undefined) {
    const ofRecord = { readOnly: readOnlyNames(incoming.shapes), writeOnly: flagged.writeOnly }
    all.push(...toCustomMethods(options.methods, { flagged: ofRecord, bodies, record, response, query }))
  }
  return Object.fromEntries(all.map((rules) => [rules.method, toMethodSchema(rules)]))
}

/** Returns the fields that options flag. Files are hidden, since JSON has none. */
const flaggedBy = ({ readOnly = [], writeOnly = [] }: ResourceOptions, output: JsonSchema) => ({
  readOnly: new Set<string>(readOnly),
  writeOnly: new Set([...writeOnly, ...filesOf(output).keys()])
})

const suggest = (name: string, names: readonly string[]) => `There are: ${names.join(', ')}${hintFor(name, names)}`

// The fields of other keywords may be those of schemas that are only known at the start.
const elsewhere = fieldKeywords.filter((keyword) => !/^(p|patternP)roperties$/.test(keyword))

/** @throws {TypeError} if a schema requires a field that it does not have */
function checkRequired({ document, shapes }: WrittenSchema): void {
  const { required = [] } = document
  const fields = allFields(shapes)
  const unknown = required.find((name) => !fields.field(name).isKnown)
  if (unknown === undefined || elsewhere.some((keyword) => keyword in document)) return
  throw new TypeError(
    `resource() knows no field '${unknown}', which the schema requires. ${suggest(unknown, fields.names)}`
  )
}

/** @throws {TypeError} if one is not the schema of a record */
function assertRecord(incoming: WrittenSchema, outgoing: WrittenSchema): void {
  assertHasFields(incoming)
  assertHasFields(outgoing)
  if (outgoing.shapes.root.codecs.length > 0)
    throw new TypeError("resource() can't use a codec around the whole record: write one of each field")
}

/** Returns the schemas of a method for Fastify, with its rules. */
const toMethodSchema = (rules: MethodRules) => ({
  querystring: rules.querystring,
  ...(rules.body && { body: rules.body.document }),
  response: rules.response,
  ...(rules.custom?.produces && { produces: rules.custom.produces }),
  [rulesKey]: rules
})

/** Returns the shape with all fields of a record. A union has those of all branches. */
const allFields = ({ root }: Shapes): Shape => root.narrow({})

const readOnlyNames = (shapes: Shapes): ReadonlySet<string> => {
  const fields = allFields(shapes)
  return new Set(fields.names.filter((name) => fields.field(name).readOnly))
}

/** The methods that the option `settable` may name. Custom methods have an option of their own. */
const settableMethods = ['create', 'update', 'patch']

function checkNames(
  fields: readonly string[],
  { readOnly = [], writeOnly = [], filter = [], sort = [], settable = {} }: ResourceOptions
): void {
  const names = [...new Set(fields)]
  const odd = names.find((name) => name in Object.prototype)
  if (odd !== undefined)
    throw new TypeError(`resource() can't have a field '${odd}': every object has one of this name`)
  const unasked = [...filter, ...sort].find((name) => !isQueryable(name))
  if (unasked !== undefined)
    throw new TypeError(`resource() can't filter or sort by the field '${unasked}': a query can't name it`)
  checkOptionsObject('the option `settable` of resource()', settable)
  checkOptionNames(settable, settableMethods, 'resource() has', 'settable.')
  const ofMethods = Object.entries(settable).map(([method, list]) => [`settable.${method}`, list] as const)
  const lists = [...Object.entries({ readOnly, writeOnly, filter, sort }), ...ofMethods]
  for (const [option, list] of lists)
    if (!Array.isArray(list))
      throw new TypeError(`The option \`${option}\` of resource() must be a list of fields, got ${inspect(list)}`)
  const unknown = lists.flatMap(([, list]) => list).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new TypeError(`resource() knows no field '${unknown}', which an option names. ${suggest(unknown, names)}`)
}
