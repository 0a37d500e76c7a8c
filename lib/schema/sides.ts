import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { Bundle } from './bundle.js'
import { definitionKeywords, flagKeywords, isSchema, subschemasOf } from './keywords.js'

const isDefinition = ([keyword]: readonly string[]) => definitionKeywords.some((name) => name === keyword)
const targetOf = (bundle: Bundle, schema: JsonSchema) => bundle.target(schema) ?? schema

/**
 * Gives the two sides of a schema that transforms, what is sent and what leaves, the flags of each other: a transformation forgets what was said of the value before it, and what says of a password
 * that it does not leave means its hash, too.
 *
 * @returns both sides, as copies where one has flags
 */
export function withFlagsOfBoth(
  input: JsonSchema,
  output: JsonSchema
): { readonly input: JsonSchema; readonly output: JsonSchema } {
  const hasFlags = (side: JsonSchema) => flagKeywords.some((flag) => JSON.stringify(side).includes(`"${flag}":true`))
  if (![input, output].some(hasFlags)) return { input, output }
  const [left, right] = [new Bundle(input), new Bundle(output)]
  const visited = new Set<string>()
  const pair = (schema: SchemaValue, other: SchemaValue | undefined): void => {
    if (!isSchema(schema) || !isSchema(other)) return
    const places = `${left.pointers.get(schema)} ${right.pointers.get(other)}`
    if (visited.has(places)) return
    visited.add(places)
    for (const flag of flagKeywords.filter((flag) => schema[flag] === true || other[flag] === true))
      for (const side of [schema, other]) Object.assign(side, { [flag]: true })
    pair(targetOf(left, schema), targetOf(right, other))
    const others = new Map([...subschemasOf(other)].map(([part, way]) => [way.join('/'), part]))
    // Definitions are met by what refers to them: a library numbers them, on each side by itself.
    for (const [part, way] of subschemasOf(schema)) if (!isDefinition(way)) pair(part, others.get(way.join('/')))
  }
  pair(left.schema, right.schema)
  return { input: left.schema, output: right.schema }
}
