import type { CustomMethod, CustomMethods } from '../../../types/custom-method.js'
import type { JsonSchema } from '../../../types/standard-schema.js'
import { noNames, type SharedSchemas, WrittenSchema } from '../../schema/documents.js'
import { type Flag, kindBits } from '../../schema/reader.js'
import { RedactedFields } from '../../schema/redacted-fields.js'
import { definitionOf, methods as six } from '../methods.js'
import { checkOptionNames, checkOptionsObject } from '../options.js'
import type { BodyRules } from './body.js'
import { readJsonSchema } from './json-schema.js'
import type { MethodRules, Outgoing } from './method-rules.js'
import { type GuardsOf, ownBodyRules } from './own-body.js'
import { readParameters } from './parameters.js'
import type { QueryParameters } from './query-rules.js'

/** What custom methods take over of the record of their resource. */
export interface RecordParts extends Pick<MethodRules, 'record' | 'query' | 'response'> {
  /**
   * The names of the fields that only the server sets, and of those that do not leave: the schemas
   * of the application say so, too.
   */
  flaggedWith(shared: SharedSchemas): Record<Flag, ReadonlySet<string>>
  readonly guardsOf: GuardsOf
}

const customOptionNames = {
  route: true,
  body: true,
  settable: true,
  query: true,
  response: true,
  produces: true
} satisfies Record<keyof CustomMethod, true>

/**
 * Makes the rules of the custom methods that a resource declares.
 * @throws {TypeError} when one has a name of the six, or a schema that is none for its place
 */
export const toCustomMethods = (declared: CustomMethods, parts: RecordParts): MethodRules[] =>
  Object.entries(declared).map(([name, options]) => toCustomMethod(name, options, parts))

function toCustomMethod(method: string, options: CustomMethod, parts: RecordParts): MethodRules {
  if (six.has(method))
    throw new TypeError(
      `resource() can't declare '${method}' in \`methods\`: it is one of the six. Their schemas are the options create, update, patch, query and response`
    )
  const place = `methods.${method}.`
  checkOptionsObject(`the method '${method}' of resource()`, Object(options))
  checkOptionNames(Object(options), Object.keys(customOptionNames), 'resource() has', place)
  const { route, body, settable, query, response, produces } = Object(options) as CustomMethod
  // A route of another form is refused where the service is registered, with its name.
  const isRoute = typeof route === 'string' && /^\S+ \//.test(route)
  const takesData = definitionOf(method, isRoute ? route : undefined).arguments.includes('data')
  if (body !== undefined && !takesData)
    throw new TypeError(
      `resource() can't give '${method}' a body: its route '${route}' has none. Use POST, PUT or PATCH`
    )
  checkSettable(method, settable, parts.record.incoming)
  const parameters = within(`${place}query`, () => readParameters(query))
  const outgoing =
    response === undefined ? parts.record.outgoing : within(`${place}response`, () => customOutgoing(response, parts))
  return {
    method,
    record: parts.record,
    query: parts.query,
    querystring: toParametersOnly(parameters),
    custom: { route, parameters, produces },
    body: takesData ? within(`${place}body`, () => customBodyRules(body, settable, parts)) : undefined,
    outgoing,
    response: response === undefined ? parts.response : outgoing.written.documentWithout('writeOnly')
  }
}

/** Adds the name of the option to the error of a schema that can't be used. */
function within<T>(place: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new TypeError(`The option '${place}' of resource(): ${(error as Error).message}`, { cause: error })
  }
}

function toParametersOnly({ operands, required }: QueryParameters): JsonSchema {
  const properties = Object.fromEntries([...operands].map(([name, { schema }]) => [name, schema]))
  return { type: 'object', properties, additionalProperties: false, ...(required.length > 0 && { required }) }
}

/** The body of a method that declares none: an object without fields. */
const noData = { type: 'object', properties: {}, additionalProperties: false }

function customBodyRules(
  body: unknown,
  settable: readonly string[] | undefined,
  { flaggedWith, guardsOf, record }: RecordParts
): BodyRules {
  const rules = ownBodyRules(body ?? noData, guardsOf, settable, {
    flagged: (shared: SharedSchemas) => ({
      ...flaggedWith(shared),
      writeOnly: noNames.writeOnly,
      ...(settable && { settable: new Set(settable) })
    }),
    recordNames: record.incoming.shapes.root.names
  })
  if (rules.written.shapes.root.kinds !== kindBits.object)
    throw new TypeError('it must be the schema of an object. A list is the field of one')
  return { ...rules, isOwn: body !== undefined, takesLists: false, mayBeAbsent: true }
}

/** @throws {TypeError} when the option is no list of fields of the record */
function checkSettable(method: string, settable: readonly string[] = [], { shapes }: WrittenSchema): void {
  const { names } = shapes.root.narrow({})
  if (!Array.isArray(settable) || settable.some((name) => !names.includes(name)))
    throw new TypeError(
      `The option \`methods.${method}.settable\` of resource() must be a list of fields of the record: ${names.join(', ')}`
    )
}

function customOutgoing(response: unknown, { record, flaggedWith }: RecordParts): Outgoing {
  const { document, isOfInput } = readJsonSchema(response, 'output')
  const { outgoing, incoming } = record
  // A name that is `writeOnly` anywhere in the record is hidden in the response too: its schema may
  // allow further fields.
  const flagged = (shared: SharedSchemas) => {
    const schemas = [outgoing.written, incoming, ...record.bodies].map((written) => written.shapesWith(shared))
    const writeOnly = new RedactedFields(schemas, flaggedWith(shared).writeOnly)
    const containers = { has: (name: string) => writeOnly.mayHave(name), size: writeOnly.size }
    const redactsText = { has: (name: string) => writeOnly.mayRedactText(name) }
    return { readOnly: flaggedWith(shared).readOnly, writeOnly, containers, redactsText }
  }
  const written = new WrittenSchema(document, { flagged, recordNames: incoming.shapes.root.names })
  return { written, converts: !isOfInput }
}
