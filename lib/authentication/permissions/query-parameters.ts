import type { FastifyInstance } from 'fastify'
import type { HookContext } from '../../../types/fastify.js'
import { idFieldOf } from '../../core/adapters/feathers.js'
import type { Describable } from '../../core/description.js'
import { type ServiceHost, serviceHostOf } from '../../core/host.js'
import { methods } from '../../core/methods.js'
import { isObject } from '../../core/objects.js'
import { rulesOf } from '../../core/resource/method-rules.js'
import { shapesOf } from '../../schema/written-schema.js'
import { inOneSpelling } from '../whole-rows.js'

/**
 * Whether a name at the top of a query, with its value, is a parameter, and no condition on a
 * field.
 */
export type IsParameter = (name: string, value: unknown) => boolean

/**
 * Says which parts of a query are parameters of a method, and no conditions. Of the six methods,
 * those that `resource()` declares for its queries, where the record has no such field. Of a custom
 * method, those that it declares, and plain values under names that no role has for a field: fields
 * that nobody has named can't be told from parameters.
 *
 * @param namedFields the fields that roles have, in one spelling
 */
export function queryParametersOf({ app, path, method }: HookContext, namedFields: ReadonlySet<string>): IsParameter {
  // A mounted service has the application of Feathers, where nothing is declared.
  const host: ServiceHost | undefined = serviceHostOf(app as object)
  const entry = host?.entryAt(path)
  const rules = rulesOf(entry?.options.schema?.[method])
  if (!methods.has(method)) {
    const declared = rules?.custom?.parameters.operands
    return (name, value) => declared?.has(name) === true || hasOtherNames({ [name]: value }, namedFields)
  }
  if (entry === undefined || rules === undefined) return () => false
  const { operands } = rules.query.more
  // Few queries have such a parameter.
  let fields: ReadonlySet<string> | undefined
  return (name, value) => {
    if (!operands.has(name)) return false
    fields ??= new Set([...namedFields, ...resourceFieldsOf(entry)])
    return hasOtherNames({ [name]: value }, fields)
  }
}

/**
 * Whether a value has none of the fields, nor what may name one. Adapters read names at any depth,
 * and databases read `salary ` and `SALARY` as `salary`.
 */
const hasOtherNames = (value: unknown, fields: ReadonlySet<string>): boolean =>
  (!isObject(value) && !Array.isArray(value)) ||
  Object.entries(value).every(
    ([name, part]) =>
      !name.startsWith('$') && !name.includes('.') && !fields.has(inOneSpelling(name)) && hasOtherNames(part, fields)
  )

/**
 * All fields of the records of a resource, hidden ones and those that one method alone takes among
 * them, in one spelling.
 */
function resourceFieldsOf({ app, object, options }: Describable): readonly string[] {
  const ofMethods = [...methods.keys()].flatMap((name) => rulesOf(options.schema?.[name]) ?? [])
  const schemas = ofMethods.flatMap(({ record, body }) => [
    record.incoming,
    record.outgoing.written,
    ...(body === undefined ? [] : [body.written])
  ])
  const names = [...new Set(schemas)].flatMap(
    (written) => shapesOf(written, app as FastifyInstance).root.narrow({}).names
  )
  return [idFieldOf(object), ...names].map(inOneSpelling)
}
