import type { FieldOf, JsonSchema, Resource, ResourceOptions } from '../../../types/resource.js'
import { type SharedSchemas, WrittenSchema } from '../../schema/documents.js'
import type { FlaggedNames } from '../../schema/flagged-names.js'
import type { Shape, Shapes } from '../../schema/shape.js'
import { methods } from '../methods.js'
import { checkOptionNames, checkOptionsObject, inspect } from '../options.js'
import type { BodyRules } from './body.js'
import { toCustomMethods } from './custom-methods.js'
import { checkedSchemaOf, filesOf } from './files.js'
import { readSides } from './json-schema.js'
import { createPatchCheck, createWholeCheck } from './library.js'
import { type MethodRules, type RecordRules, rulesKey } from './method-rules.js'
import { type Guards, type GuardsOf, type Incoming, ownBodyRules } from './own-body.js'
import { checkRecord, readParameters } from './parameters.js'
import { isQueryable, querystringsOf, toQueryRules } from './query-rules.js'
import { triesAllBranches, validateOf } from './standard-schema.js'

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
 * Says once what a record is: returns the option `schema` of a service. From it follow what
 * `create`, `update` and `patch` accept, what a query may say, what leaves, and the types of the
 * service on both sides.
 *
 * @param schema of one record: a JSON Schema (TypeBox), or a Standard Schema that gives JSON Schema
 * (zod, ArkType, Valibot)
 * @throws {TypeError} when the schema is of another kind, or is not that of an object
 *
 * @example
 * const posts = resource(Type.Object({ id: Type.Integer(), title: Type.String() }), { readOnly: ['id'] })
 * app.service('posts', new PostService(), { schema: posts })
 */
export function resource<const S, const O extends ResourceOptions<FieldOf<S>> = ResourceOptions<FieldOf<S>>>(
  schema: S,
  options?: O
): Resource<S, O>
export function resource(schema: unknown, options: ResourceOptions = {}): object {
  checkOptionsObject('resource()', options)
  checkOptionNames(options, Object.keys(resourceOptionNames), 'resource() has')
  const { input, output: ofSchema } = readSides(schema)
  const { readOnly = [], writeOnly = [], response: ownResponse } = options
  const output = ownResponse === undefined ? ofSchema : readSides(ownResponse).output
  // JSON has no files.
  const files = [...filesOf(output.document).keys()]
  const flagged = { readOnly: new Set(readOnly), writeOnly: new Set([...writeOnly, ...files]) }
  const incoming = incomingOf(input.document, flagged)
  const outgoing = new WrittenSchema(output.document, { flagged })
  checkRecord(incoming.written)
  checkRecord(outgoing)
  if (outgoing.shapes.root.codecs.length > 0)
    throw new TypeError("resource() can't use a codec around the whole record: write one of each field")
  checkNames([...fieldsShape(incoming.written).names, ...fieldsShape(outgoing).names], options)
  const rules = toQueryRules(fieldsShape(outgoing), options, readParameters(options.query))
  const response = outgoing.documentWithout('writeOnly')
  const querystringOf = querystringsOf(rules)
  const guardsOf: GuardsOf = (settable): Guards => {
    if (settable === undefined) return { record: incoming, response: ownResponse === undefined ? [] : [outgoing] }
    const names = { ...flagged, settable: new Set(settable) }
    return {
      record: incomingOf(input.document, names),
      response: ownResponse === undefined ? [] : [new WrittenSchema(output.document, { flagged: names })]
    }
  }
  const body = createBodyRules(schema, guardsOf, options)
  const all: MethodRules[] = []
  const record: RecordRules = {
    incoming: incoming.written,
    outgoing: { written: outgoing, converts: !output.isOfInput },
    hasOwnResponse: ownResponse !== undefined,
    get bodies() {
      return all.flatMap(({ body }) => (body?.isOwn ? [body.written] : []))
    }
  }
  for (const [method, { arguments: names }] of methods)
    all.push({
      method,
      response,
      record,
      outgoing: record.outgoing,
      query: rules,
      querystring: querystringOf(method),
      body: names.includes('data') ? body(method) : undefined,
      custom: undefined
    })
  if (options.methods !== undefined) {
    const flaggedWith = (shared: SharedSchemas) => ({
      readOnly: readOnlyNames(incoming.written.shapesWith(shared)),
      writeOnly: flagged.writeOnly
    })
    all.push(...toCustomMethods(options.methods, { flaggedWith, guardsOf, record, response, query: rules }))
  }
  return Object.fromEntries(all.map((ofMethod) => [ofMethod.method, toMethodSchema(ofMethod)]))
}

/** The schemas of a method for Fastify, which hold its rules. */
const toMethodSchema = (rules: MethodRules) => ({
  querystring: rules.querystring,
  ...(rules.body && { body: rules.body.document }),
  response: rules.response,
  ...(rules.custom?.produces && { produces: rules.custom.produces }),
  [rulesKey]: rules
})

function incomingOf(document: JsonSchema, flagged: FlaggedNames): Incoming {
  const shown = new WrittenSchema(document, { flagged })
  return { written: checkedSchemaOf(shown), shown }
}

/**
 * The shape with the fields of a record; of a record that is a union, with those of all branches.
 */
const fieldsShape = ({ shapes }: WrittenSchema): Shape => shapes.root.narrow({})

/**
 * The fields of a record that only the server sets; of a record that is a union, those of any
 * branch.
 */
const readOnlyNames = ({ root }: Shapes): ReadonlySet<string> => {
  const fields = root.narrow({})
  return new Set(fields.names.filter((name) => fields.field(name).readOnly))
}

/** Makes the rules of what `create`, `update` and `patch` take. */
function createBodyRules(schema: unknown, guardsOf: GuardsOf, options: ResourceOptions) {
  const { create, update = create, patch, settable = {} } = options
  const isOfLibrary = validateOf(schema) !== undefined
  const wholeOf = ({ record, response }: Guards): BodyRules => ({
    createValidate: isOfLibrary ? (root) => createWholeCheck(schema, root) : undefined,
    triesAll: triesAllBranches(schema),
    document: record.shown.documentWithout('readOnly'),
    shown: record.shown,
    written: record.written,
    guards: response,
    isPart: false,
    takesDefaults: true
  })
  const partOf = (guards: Guards): BodyRules => ({
    ...wholeOf(guards),
    createValidate: isOfLibrary ? (root) => createPatchCheck(schema, root) : undefined,
    document: guards.record.shown.documentWithout('readOnly', true),
    isPart: true,
    takesDefaults: false
  })
  const whole = wholeOf(guardsOf(undefined))
  const rulesOf = (bodySchema: unknown, names: readonly string[] | undefined) => {
    if (bodySchema !== undefined) return ownBodyRules(bodySchema, guardsOf, names)
    return names === undefined ? whole : wholeOf(guardsOf(names))
  }
  const byMethod = new Map<string, BodyRules>([
    ['create', { ...rulesOf(create, settable.create), takesLists: options.lists }],
    ['update', rulesOf(update, settable.update)],
    [
      'patch',
      patch === undefined
        ? partOf(guardsOf(settable.patch))
        : { ...ownBodyRules(patch, guardsOf, settable.patch), takesDefaults: false }
    ]
  ])
  return (method: string) => byMethod.get(method)
}

/**
 * The methods whose bodies have the option `settable`. Custom methods have it among their own
 * options.
 */
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
    throw new TypeError(`resource() knows no field '${unknown}', which an option names. There are: ${names.join(', ')}`)
}
