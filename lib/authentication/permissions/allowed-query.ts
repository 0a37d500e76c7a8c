import type { HookContext } from '../../../types/fastify.js'
import type { Query } from '../../../types/service.js'
import { idFieldOf } from '../../core/adapters/feathers.js'
import { mayName } from '../../core/added-fields.js'
import type { Describable } from '../../core/description.js'
import { Forbidden } from '../../core/errors.js'
import { methods } from '../../core/methods.js'
import { isObject, isPlain } from '../../core/objects.js'
import { entryOf } from '../../core/plugin-state.js'
import { rulesOf } from '../../core/resource/method-rules.js'
import { toSpelling } from '../protect.js'

/** The operators whose operands have no names of fields. */
const limits = new Set(['$limit', '$skip', mayName])
/** The operators whose operands are queries. */
const junctions = new Set(['$or', '$and'])
/** The operators of a field. Their operands are values. */
const comparisons = new Set(
  '$eq $ne $gt $gte $ge $lt $lte $le $in $nin $between $notbetween $like $notlike $ilike $notilike $startswith $endswith $contains $regex $options $exists'.split(
    ' '
  )
)

/**
 * Checks that a query names only some fields, because a caller could find out the others by asking.
 * @param isParameter says which names at the top of the query are no fields
 * @throws {Forbidden} for all other fields
 */
export function checkQuery(context: HookContext, fields: readonly string[], isParameter: IsParameter): void {
  const entries = Object.entries(context.params.query ?? {}).filter(([name, value]) => !isParameter(name, value))
  checkFields(Object.fromEntries(entries), context, fields)
}

function checkFields(query: Query, context: HookContext, fields: readonly string[]): void {
  for (const [name, value] of Object.entries(Object(query))) {
    if (limits.has(name)) continue
    if (fields.includes(name)) {
      const operator = unknownOperatorIn(value)
      if (operator !== undefined) throw forbiddenName(`${name}[${operator}]`, context, fields)
    } else if (junctions.has(name)) for (const branch of [value].flat()) checkFields(branch as Query, context, fields)
    else {
      const names = name === '$sort' ? Object.keys(Object(value)) : name === '$select' ? [value].flat() : [name]
      const unknown = names.find((field) => !fields.includes(field as string))
      if (unknown !== undefined) throw forbiddenName(typeof unknown === 'string' ? unknown : name, context, fields)
    }
  }
}

/**
 * The first operator of a field that is unknown, or whose operand has an object: an adapter may
 * take the names in it for fields.
 */
function unknownOperatorIn(value: unknown): string | undefined {
  const operands = isPlain(value) ? Object.entries(value) : [['$eq', value] as const]
  const unknown = operands.find(
    ([operator, operand]) => !comparisons.has(operator.toLowerCase()) || [operand].flat(Infinity).some(isPlain)
  )
  return unknown?.[0]
}

const forbiddenName = (name: string, { method, path }: HookContext, fields: readonly string[]) =>
  new Forbidden(`A query of '${method}' of '${path}' can't name ${quoteName(name)}: only ${quoteNames(fields)}`)

// In characters. A name that a client has sent may be as long as a body.
export const maxNameLength = 50
const quoteName = (name: string) => `'${name.slice(0, maxNameLength)}'`
export const quoteNames = (names: readonly string[]) => names.map(quoteName).join(', ') || 'none'

/** Whether a name at the top of a query is a parameter, not a condition on a field. */
type IsParameter = (name: string, value: unknown) => boolean

/**
 * Creates the function that says which names of a query are parameters of a method. For the six
 * methods, these are the ones that `resource()` declares, unless the record has such a field. For a
 * custom method, these are the ones that it declares, and plain values under names that are no
 * field of any role.
 *
 * @param namedFields the fields in the permissions of all roles, in one spelling
 */
export function createParameterCheck(context: HookContext, namedFields: ReadonlySet<string>): IsParameter {
  const { method } = context
  const entry = entryOf(context)
  const rules = rulesOf(entry?.options.schema?.[method])
  if (!methods.has(method)) {
    const declared = rules?.custom?.parameters.operands
    return (name, value) => declared?.has(name) === true || namesNoField({ [name]: value }, namedFields)
  }
  if (entry === undefined || rules === undefined) return () => false
  const { operands } = rules.query.more
  // Few queries have such a parameter.
  let fields: ReadonlySet<string> | undefined
  return (name, value) => {
    if (!operands.has(name)) return false
    fields ??= new Set([...namedFields, ...resourceFieldsOf(entry)])
    return namesNoField({ [name]: value }, fields)
  }
}

/**
 * Whether a value names none of the fields, at any depth. Operators and paths may name one, and
 * databases read `salary ` and `SALARY` as `salary`.
 */
const namesNoField = (value: unknown, fields: ReadonlySet<string>): boolean =>
  (!isObject(value) && !Array.isArray(value)) ||
  Object.entries(value).every(
    ([name, operand]) =>
      !name.startsWith('$') && !name.includes('.') && !fields.has(toSpelling(name)) && namesNoField(operand, fields)
  )

/** All fields of the records of a resource, also hidden ones, in one spelling. */
function resourceFieldsOf({ object, options }: Describable): readonly string[] {
  const ofMethods = [...methods.keys()].flatMap((name) => rulesOf(options.schema?.[name]) ?? [])
  const schemas = ofMethods.flatMap(({ record, body }) => [
    record.incoming,
    record.outgoing.written,
    ...(body === undefined ? [] : [body.written])
  ])
  const names = [...new Set(schemas)].flatMap((written) => written.shapes.root.narrow({}).names)
  return [idFieldOf(object), ...names].map(toSpelling)
}
