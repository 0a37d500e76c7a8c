import { isObject, pick } from '../core/objects.js'
import type { Components } from '../openapi/components.js'
import { isEmpty, type Json } from '../openapi/json-schema.js'
import { toPascal } from '../openapi/names.js'
import type { SelectedMethod } from './selection.js'

/**
 * Returns the schema of the argument `query`. The schema of a whole query repeats all operators with
 * all rules for each field, which is most of what an agent would have to read. Here, fields of one
 * type share their operators. The route validates by the whole schema.
 *
 * @returns `undefined` if the query has no fields
 */
export function toQueryArgument(
  schema: Json,
  { method, form }: SelectedMethod,
  components: Components
): Json | undefined {
  const { properties } = schema
  if (!isObject(properties)) return form.isMany ? { ...schema, type: 'object' } : undefined
  // An id selects the record, so conditions are rarely of use.
  const isWhole = form.isMany || method.isCustom
  const shown = isWhole ? properties : pick(['$select', ...method.added.keys()], (name) => properties[name])
  if (isEmpty(shown)) return undefined
  const fields = Object.entries(shown).map(([name, field]) => [name, shareOperators(field, components)])
  return { ...(isWhole && schema), type: 'object', properties: Object.fromEntries(fields) }
}

function shareOperators(field: unknown, components: Components): unknown {
  const { anyOf } = Object(field)
  if (!Array.isArray(anyOf)) return field
  const toReference = (branch: Json) => {
    const { properties } = branch
    if (!isObject(properties) || !Object.keys(properties).every((name) => name.startsWith('$'))) return branch
    const operators = Object.entries(properties).map(([name, value]) => [name, withoutRules(value)])
    const [type = 'value'] = [Object(properties.$eq).type].flat()
    const conditions = { type: 'object', properties: Object.fromEntries(operators), additionalProperties: false }
    return components.add(`${toPascal([String(type)])}Conditions`, conditions)
  }
  return { ...(field as Json), anyOf: anyOf.map(toReference) }
}

/** Copies the type of a value. The route knows the rules. */
function withoutRules(value: unknown): Json {
  const { type, format, items, enum: values } = Object(value) as Json
  return {
    ...(type !== undefined && { type }),
    ...(format !== undefined && { format }),
    ...(values !== undefined && { enum: values }),
    ...(items !== undefined && { items: withoutRules(items) })
  }
}
