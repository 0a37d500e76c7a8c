import type { FieldOf, Resource, ResourceOptions } from '../../../types/resource.js'
import { noNames, type SharedSchemas, WrittenSchema } from '../../schema/documents.js'
import type { Shape, Shapes } from '../../schema/shape.js'
import { withFlagsOfBoth } from '../../schema/sides.js'
import { methods } from '../methods.js'
import { checkOptionNames, checkOptionsObject, shown } from '../options.js'
import { type BodyRules, checkExamples } from './body.js'
import { toCustomMethods } from './custom-methods.js'
import { checkedSchemaOf, filesOf } from './files.js'
import { readJsonSchema, standardOf } from './json-schema.js'
import { checkRecord, readParameters } from './parameters.js'
import { createPartValidation } from './part.js'
import { querystringsOf, toQueryRules } from './query-rules.js'
import { type MethodRules, type RecordRules, rulesKey } from './rules.js'
import { atOnceOf, checkOf, type StandardValidate } from './validate.js'

const resourceOptionNames = {
  readOnly: true,
  writeOnly: true,
  lists: true,
  create: true,
  update: true,
  patch: true,
  query: true,
  response: true,
  operators: true,
  filter: true,
  sort: true,
  methods: true
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
  options?: O
): Resource<S, O>
export function resource(schema: unknown, options: ResourceOptions = {}): object {
  checkOptionsObject('resource()', options)
  checkOptionNames(options, Object.keys(resourceOptionNames), 'resource() has')
  const { input, output } = readSides(schema, options)
  const { readOnly = [], writeOnly = [] } = options
  // JSON has no files.
  const files = [...filesOf(output.document).keys()]
  const flagged = { readOnly: new Set(readOnly), writeOnly: new Set([...writeOnly, ...files]) }
  const shown = new WrittenSchema(input.document, { flagged })
  const incoming = { written: checkedSchemaOf(shown), shown }
  const outgoing = new WrittenSchema(output.document, { flagged })
  checkRecord(incoming.written)
  checkRecord(outgoing)
  checkNames([...fieldsShape(incoming.written).names, ...fieldsShape(outgoing).names], options)
  const rules = toQueryRules(fieldsShape(outgoing), options, readParameters(options.query))
  const response = outgoing.documentWithout('writeOnly')
  const querystringOf = querystringsOf(rules)
  const body = createBodyRules(schema, incoming, options)
  const record: RecordRules = {
    incoming: incoming.written,
    outgoing: { written: outgoing, converts: !output.isOfInput }
  }
  const all = [...methods].map(([method, { arguments: names }]): MethodRules => {
    const ofBody = names.includes('data') ? body(method) : undefined
    return {
      method,
      response,
      record,
      outgoing: record.outgoing,
      query: rules,
      querystring: querystringOf(method),
      body: ofBody,
      custom: undefined
    }
  })
  if (options.methods !== undefined) {
    const flaggedWith = (shared: SharedSchemas) => ({
      readOnly: readOnlyNames(incoming.written.shapesWith(shared)),
      writeOnly: flagged.writeOnly
    })
    all.push(...toCustomMethods(options.methods, { flaggedWith, record, response, query: rules }))
  }
  return Object.fromEntries(all.map((ofMethod) => [ofMethod.method, toMethodSchema(ofMethod)]))
}

/** What is sent of a record, and what of it leaves. */
function readSides(schema: unknown, { response }: ResourceOptions) {
  const input = readJsonSchema(schema, 'input')
  const output = readJsonSchema(response ?? schema, 'output')
  // A schema of its own for what leaves says itself what that is. One of JSON has no transformations.
  if (response !== undefined || standardOf(schema) === undefined) return { input, output }
  const sides = withFlagsOfBoth(input.document, output.document)
  return { input: { ...input, document: sides.input }, output: { ...output, document: sides.output } }
}

/** The schemas of a method for Fastify, which hold its rules. */
const toMethodSchema = (rules: MethodRules) => ({
  querystring: rules.querystring,
  ...(rules.body && { body: rules.body.document }),
  response: rules.response,
  ...(rules.custom?.produces && { produces: rules.custom.produces }),
  [rulesKey]: rules
})

/** The schemas of a record as clients send it. */
interface Incoming {
  /** The schema that bodies are checked by, without files, which have a check of their own. */
  readonly written: WrittenSchema
  /** The schema that documents show. */
  readonly shown: WrittenSchema
}

/** The shape with the fields of a record; of a record that is a union, with those of all branches. */
const fieldsShape = ({ shapes }: WrittenSchema): Shape => shapes.root.of({})

/** The fields of a record that only the server sets; of a record that is a union, those of any branch. */
const readOnlyNames = ({ root }: Shapes): ReadonlySet<string> => {
  const fields = root.of({})
  return new Set(fields.names.filter((name) => fields.field(name).readOnly))
}

/** Makes the rules of what `create`, `update` and `patch` take. */
function createBodyRules(schema: unknown, { written, shown }: Incoming, options: ResourceOptions) {
  const { create, update = create, patch } = options
  const rulesBySchema = (bodySchema: unknown, isPart: boolean): BodyRules => {
    const { document } = readJsonSchema(bodySchema, 'input')
    const { names } = fieldsShape(new WrittenSchema(document, { flagged: noNames }))
    // A field that this schema names may be sent, even where the record says that only the server sets it.
    const flagged = (shared: SharedSchemas) => ({
      ...noNames,
      readOnly: new Set([...readOnlyNames(written.shapesWith(shared))].filter((name) => !names.includes(name)))
    })
    const shownBody = new WrittenSchema(document, { flagged, ignoresFlags: true })
    return {
      ...checkOf(bodySchema),
      document: shownBody.documentWithout('readOnly'),
      shown: shownBody,
      written: checkedSchemaOf(shownBody),
      isPart: false,
      takesDefaults: !isPart
    }
  }
  const whole: BodyRules = {
    ...checkOf(schema),
    document: shown.documentWithout('readOnly'),
    shown,
    written,
    isPart: false,
    takesDefaults: true
  }
  const part: BodyRules = {
    ...checkOfPart(schema, written),
    document: shown.documentWithout('readOnly', true),
    shown,
    written,
    isPart: true,
    takesDefaults: false
  }
  const validate = atOnceOf(schema)
  if (create === undefined && validate !== undefined && mayHaveReadOnly(written, options))
    checkExamples(written, validate)
  const byMethod = new Map<string, BodyRules>([
    ['create', { ...(create === undefined ? whole : rulesBySchema(create, false)), takesLists: options.lists }],
    ['update', update === undefined ? whole : rulesBySchema(update, false)],
    ['patch', patch === undefined ? part : rulesBySchema(patch, true)]
  ])
  return (method: string) => byMethod.get(method)
}

/** The check of a part of a record by the library of its schema, where it has one. */
function checkOfPart(schema: unknown, written: WrittenSchema): Pick<BodyRules, 'validate' | 'prepare' | 'countTries'> {
  const { validate, countTries } = checkOf(schema)
  if (validate === undefined) return { validate, countTries }
  const tags = written.shapes.root.unions.map(({ tag }) => tag)
  let ready: StandardValidate | undefined
  const prepare = () => {
    ready ??= createPartValidation(schema, tags)
    return ready
  }
  return { countTries, prepare, validate: (part) => prepare()(part) }
}

const mayHaveReadOnly = ({ document }: WrittenSchema, { readOnly = [] }: ResourceOptions) =>
  readOnly.length > 0 || JSON.stringify(document).includes('"readOnly":true')

function checkNames(
  fields: readonly string[],
  { readOnly = [], writeOnly = [], filter = [], sort = [] }: ResourceOptions
): void {
  const names = [...new Set(fields)]
  const odd = names.find((name) => /^\$|[[\]]/.test(name) || name in Object.prototype)
  if (odd !== undefined) throw new TypeError(`resource() can't have a field '${odd}': a query can't name it`)
  for (const [option, list] of Object.entries({ readOnly, writeOnly, filter, sort }))
    if (!Array.isArray(list))
      throw new TypeError(`The option \`${option}\` of resource() must be a list of fields, got ${shown(list)}`)
  const unknown = [...readOnly, ...writeOnly, ...filter, ...sort].find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new TypeError(`resource() knows no field '${unknown}', which an option names. There are: ${names.join(', ')}`)
}
