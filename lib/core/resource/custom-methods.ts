import type { CustomMethod, CustomMethods } from '../../../types/custom-method.js'
import type { JsonSchema } from '../../../types/standard-schema.js'
import { noNames } from '../../schema/flagged-names.js'
import { type Flag, kindBits } from '../../schema/reader.js'
import { RedactedFields } from '../../schema/redacted-fields.js'
import { WrittenSchema } from '../../schema/written-schema.js'
import { standardEvents } from '../description.js'
import { definitionOf, methods as standardMethods } from '../methods.js'
import { checkOptionNames, checkOptionsObject, inspectText, kinds } from '../options.js'
import type { BodyRules, BodySchemas } from './body-rules.js'
import { readResponse } from './json-schema.js'
import type { MethodRules, Outgoing } from './method-rules.js'
import { type QueryParameters, readParameters } from './query-rules.js'

/** Settings that custom methods share with the other methods of their resource. */
interface ResourceContext extends Pick<MethodRules, 'record' | 'query' | 'response'> {
  /** The flagged fields of the record. */
  readonly flagged: Record<Flag, ReadonlySet<string>>
  readonly bodies: BodySchemas
}

const customOptionNames = {
  route: true,
  body: true,
  settable: true,
  query: true,
  response: true,
  produces: true,
  event: true,
  allow: true,
  idempotency: true
} satisfies Record<keyof CustomMethod, true>

/**
 * Creates the rules of the custom methods that a resource declares.
 * @throws {TypeError} if one has the name of a standard method, or a schema of the wrong kind
 */
export function toCustomMethods(declared: CustomMethods, context: ResourceContext): MethodRules[] {
  const open = Object.entries(declared).filter(([name, options]) => !standardMethods.has(name) || options !== false)
  const bodies = new Map(open.map(([name, options]) => [name, readBody(name, options, context)]))
  const written = [...bodies.values()].flatMap((body) => (body?.isOwn ? [body.written] : []))
  return open.map(([name, options]) =>
    toCustomMethod(name, options as CustomMethod, bodies.get(name), written, context)
  )
}

/** Returns the standard methods that clients may not call. */
export const closedMethods = (declared: CustomMethods = {}): ReadonlySet<string> =>
  new Set([...standardMethods.keys()].filter((name) => Object(declared)[name] === false))

/** Checks the options of a custom method, and returns the rules of its body. */
function readBody(method: string, options: CustomMethod | false, context: ResourceContext): BodyRules | undefined {
  if (standardMethods.has(method))
    throw new TypeError(
      `resource() can't declare '${method}' in \`methods\`: it is one of the six, which can only be false there. Their schemas are the options create, update, patch, query and response`
    )
  if (options === false)
    throw new TypeError(`resource() can't close '${method}' in \`methods\`: only methods that are declared are open`)
  const place = `methods.${method}.`
  checkOptionsObject(`the method '${method}' of resource()`, Object(options))
  checkOptionNames(Object(options), Object.keys(customOptionNames), 'resource() has', place)
  const { route, body, settable } = Object(options) as CustomMethod
  // A route of another form is refused when the service is registered.
  const isRoute = typeof route === 'string' && /^\S+ \//.test(route)
  const takesData = definitionOf(method, isRoute ? route : undefined).arguments.includes('data')
  if (body !== undefined && !takesData)
    throw new TypeError(
      `resource() can't give '${method}' a body: its route '${route}' has none. Use POST, PUT or PATCH`
    )
  checkSettable(method, settable, context.record.incoming)
  checkDeclared(place, Object(options))
  return takesData ? within(`${place}body`, () => customBodyRules(body, settable, context)) : undefined
}

function toCustomMethod(
  method: string,
  { route, query, response, produces, event, allow, idempotency }: CustomMethod,
  body: BodyRules | undefined,
  customBodies: readonly WrittenSchema[],
  context: ResourceContext
): MethodRules {
  const place = `methods.${method}.`
  const parameters = within(`${place}query`, () => readParameters(query))
  const outgoing =
    response === undefined
      ? context.record.outgoing
      : within(`${place}response`, () => customOutgoing(response, customBodies, context))
  return {
    method,
    record: context.record,
    query: context.query,
    querystring: toParametersOnly(parameters),
    custom: { route, parameters, produces, event, allow, idempotency },
    body,
    outgoing,
    response: response === undefined ? context.response : outgoing.written.documentWithout('writeOnly')
  }
}

/** @throws {TypeError} if an option that is no schema is of another kind */
function checkDeclared(place: string, { event, allow, idempotency }: CustomMethod): void {
  const refuse = (name: string, expected: string, value: unknown) => {
    throw new TypeError(`The option \`${place}${name}\` of resource() must be ${expected}, got ${inspectText(value)}`)
  }
  if (event !== undefined && !standardEvents.includes(event))
    refuse('event', `one of ${standardEvents.join(', ')}`, event)
  if (allow !== undefined && !kinds.names[1](allow)) refuse('allow', "a list of roles, as in ['admin']", allow)
  if (![undefined, true, false, 'required'].includes(idempotency))
    refuse('idempotency', "true, false or 'required'", idempotency)
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
  { flagged, bodies, record }: ResourceContext
): BodyRules {
  const { writeOnly } = noNames
  const rules = bodies.toOwnRules(body ?? noData, settable, {
    flagged: { ...flagged, writeOnly, ...(settable && { settable: new Set(settable) }) },
    recordNames: record.incoming.shapes.root.names
  })
  if (rules.written.shapes.root.kinds !== kindBits.object)
    throw new TypeError('it must be the schema of an object. A list is the field of one')
  return { ...rules, isOwn: body !== undefined, takesLists: false, mayBeAbsent: true }
}

/** @throws {TypeError} if the option is not a list of fields of the record */
function checkSettable(method: string, settable: readonly string[] = [], { shapes }: WrittenSchema): void {
  const { names } = shapes.root.narrow({})
  if (!Array.isArray(settable) || settable.some((name) => !names.includes(name)))
    throw new TypeError(
      `The option \`methods.${method}.settable\` of resource() must be a list of fields of the record: ${names.join(', ')}`
    )
}

function customOutgoing(
  response: unknown,
  customBodies: readonly WrittenSchema[],
  { record, flagged }: ResourceContext
): Outgoing {
  const { document, isOfInput } = readResponse(response)
  const { outgoing, incoming, bodies } = record
  // A name that is `writeOnly` anywhere in the record is hidden in the response too: its schema may
  // allow further fields.
  const schemas = [outgoing.written, incoming, ...bodies, ...customBodies].map(({ shapes }) => shapes)
  const writeOnly = new RedactedFields(schemas, flagged.writeOnly)
  const containers = { has: (name: string) => writeOnly.mayHave(name), size: writeOnly.size }
  const redactsText = { has: (name: string) => writeOnly.mayRedactText(name) }
  const written = new WrittenSchema(document, {
    flagged: { readOnly: flagged.readOnly, writeOnly, containers, redactsText },
    recordNames: incoming.shapes.root.names
  })
  return { written, converts: !isOfInput }
}
