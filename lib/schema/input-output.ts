import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { Bundle } from './bundle.js'
import { noNames } from './flagged-names.js'
import { flagKeywords, hasDefinitions, innerPlace, isAssertion, isSchema, subschemasOf } from './keywords.js'
import { SchemaReader } from './reader.js'
import { hidesWithin } from './redacted-fields.js'
import { Shapes } from './shape.js'

/** The JSON Schemas of the input and the output of a schema that transforms values. */
interface InputAndOutput {
  readonly input: JsonSchema
  readonly output: JsonSchema
  /**
   * The first place where a transformation loses a hidden field: the input hides fields within, and
   * the output is not described. The empty string is the record itself.
   */
  readonly undescribed?: string | undefined
}

/**
 * Copies `readOnly` and `writeOnly` between the input and the output of a schema that transforms:
 * libraries forget flags at a transformation. If a password is never sent, nor is its hash.
 */
export function shareFlags(input: JsonSchema, output: JsonSchema): InputAndOutput {
  const hasFlags = (schema: JsonSchema) =>
    flagKeywords.some((flag) => JSON.stringify(schema).includes(`"${flag}":true`))
  if (![input, output].some(hasFlags)) return { input, output }
  const [left, right] = [new Bundle(input), new Bundle(output)]
  const shapes = new Shapes(new SchemaReader(left), noNames)
  const losesHidden = (schema: JsonSchema, other: JsonSchema) =>
    !Object.keys(other).some(isAssertion) && schema.writeOnly !== true && hidesWithin(shapes.of([schema]))
  const visited = new Set<string>()
  let undescribed: string | undefined
  const pair = (schema: SchemaValue, other: SchemaValue | undefined, place: string): void => {
    if (!isSchema(schema) || !isSchema(other)) return
    const pointers = `${left.pointers.get(schema)} ${right.pointers.get(other)}`
    if (visited.has(pointers)) return
    visited.add(pointers)
    for (const flag of flagKeywords.filter((flag) => schema[flag] === true || other[flag] === true))
      for (const side of [schema, other]) Object.assign(side, { [flag]: true })
    if (losesHidden(schema, other)) undescribed ??= place
    pair(left.target(schema) ?? schema, right.target(other) ?? other, place)
    const others = new Map([...subschemasOf(other)].map(([subschema, way]) => [way.join('/'), subschema]))
    // Definitions are paired by the references to them: libraries number them anew for each side.
    for (const [subschema, way] of subschemasOf(schema))
      if (!hasDefinitions(way[0])) pair(subschema, others.get(way.join('/')), innerPlace(place, way[0] ?? '', way[1]))
  }
  pair(left.schema, right.schema, '')
  return { input: left.schema, output: right.schema, undescribed }
}
