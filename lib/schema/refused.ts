import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { isDefined, unconditional } from './combined.js'
import {
  flagKeywords,
  innerPlace,
  isConditional,
  isSchema,
  subschemasOf,
  type UnionKeyword,
  unionBranches,
  unionKeywords
} from './keywords.js'
import { kindBits, type SchemaReader } from './reader.js'
import { flagsBySchema } from './schema-flags.js'
import { othersName, type Shape, type ShapeMember, type Shapes } from './shape.js'

/**
 * The constructs that `resource()` refuses. docs/resource.md#schemas-that-stop-the-start shows the
 * most common ones, and its test compares them with the errors.
 */
export const refusals = {
  conditionalFlag: {
    found:
      'a field is `readOnly` or `writeOnly` under a condition (`if`, `then`, `else`, `dependentSchemas`, `not`, `contains`)',
    write: 'Flag the field in `properties`'
  },
  unevaluated: {
    found:
      'there is `unevaluatedProperties` or `unevaluatedItems`, other than `unevaluatedProperties: false` without a union or a condition',
    write: 'Use `additionalProperties`. Or leave it out: an object that names fields accepts no others'
  },
  dynamicReference: {
    found: 'there is `$dynamicRef` or `$recursiveRef`',
    write: 'Write `$ref`'
  },
  endless: {
    found:
      'it contains itself by one field in several branches of a union, or both within and beside a union or a condition',
    write:
      "Describe the field once. Or give each branch a constant that it requires: `z.discriminatedUnion('kind', […])` of zod, " +
      "`v.variant('kind', […])` of Valibot, `required: ['kind']` beside `kind: { const: … }` in JSON Schema"
  },
  serverSetDiscriminator: {
    found: 'only the server sets the field by which a branch of a union is chosen',
    write: 'Set the options `create` and `patch` to schemas of what clients send'
  },
  mixedFlags: {
    found: 'a field of a definition is `readOnly` or `writeOnly` at one of its places, and not at another',
    write: 'Flag the field in the definition, or write a definition for each place'
  }
} as const

const refuse = (label: string, row: keyof typeof refusals, place: string) =>
  new TypeError(
    `${label}: resource() can't use the schema of ${place === '' ? 'the record' : `'${place}'`}: ${refusals[row].found}. ${refusals[row].write}`
  )

/** The branches of a union that are tried: all, only without a discriminator, or none. */
export type Tries = 'all' | 'undecided' | 'none'

/**
 * Refuses schemas whose bodies or answers could not be decided safely and in linear time.
 *
 * @param label of the service, or of the method that has the schema, as in `books.create`
 * @throws {TypeError} with the place in the schema
 */
export function refuseSchemas(label: string, shapes: Shapes, tries: Tries): void {
  const { reader } = shapes
  const places = reader.bundle.placesFrom(reader.bundle.schema, '')
  const [missing] = reader.bundle.missing
  if (missing !== undefined)
    throw new TypeError(
      `${label}: The reference '${missing}' leads to no schema. Put the schema itself in its place, or into ` +
        '`$defs`: those of app.addSchema are for routes'
    )
  for (const [schema, place] of places) {
    if (schema.$dynamicRef !== undefined || schema.$recursiveRef !== undefined)
      throw refuse(label, 'dynamicReference', place)
    if (isUnevaluated(schema, reader)) throw refuse(label, 'unevaluated', place)
    if (shapes.ignoresFlags) continue
    for (const [part, [keyword = '', key]] of subschemasOf(schema)) {
      const flagged = isConditional(keyword) ? placeOfFlag(part, innerPlace(place, keyword, key), shapes) : undefined
      if (flagged !== undefined) throw refuse(label, 'conditionalFlag', flagged)
    }
  }
  const mixed = findMixedFlags(shapes, places)
  if (mixed !== undefined) throw refuse(label, 'mixedFlags', mixed)
  if (tries === 'none') return
  for (const shape of shapes.root.reachable)
    for (const { branches, discriminator } of shape.unions)
      if (shape.narrow({}).field(discriminator).readOnly) {
        const holder = [...places].find(([schema]) => unionKeywords.some((keyword) => schema[keyword] === branches))
        throw refuse(label, 'serverSetDiscriminator', holder?.[1] ?? '')
      }
  if (!reader.bundle.hasReferences) return
  for (const [schema, place] of places)
    if (leadsBackTwice(schema, triedSchemas(schema, reader, tries), shapes)) throw refuse(label, 'endless', place)
}

/**
 * Whether a rule depends on the names and items that other schemas describe. Only a closed object
 * without branches is as easy to check as one that lists all names.
 */
function isUnevaluated(schema: JsonSchema, reader: SchemaReader): boolean {
  const [fields, items] = [schema.unevaluatedProperties, schema.unevaluatedItems].map(ruleOf)
  const hasBranches = (part: JsonSchema) => unionBranches(part).length + reader.conditional(part).length > 0
  if (fields !== false || items !== undefined) return fields !== undefined || items !== undefined
  return [...unconditional([schema], reader, () => [])].some(hasBranches)
}

/** A schema that accepts everything is no rule. */
const ruleOf = (schema: SchemaValue | undefined) =>
  schema === true || (isSchema(schema) && Object.keys(schema).length === 0) ? undefined : schema

/** Returns the place of the first flag within a schema. */
function placeOfFlag(start: SchemaValue, place: string, shapes: Shapes): string | undefined {
  const isFlagged = (schema: JsonSchema) =>
    flagKeywords.some((flag) => schema[flag] === true || (shapes.isRecord(schema) && shapes.flagged[flag].size > 0))
  return [...shapes.reader.bundle.placesFrom(start, place)].find(([schema]) => isFlagged(schema))?.[1]
}

/** Finds a schema whose fields have a flag at one place, and not at another. */
function findMixedFlags(shapes: Shapes, places: ReadonlyMap<JsonSchema, string>): string | undefined {
  const flags = flagsBySchema(shapes)
  const hasFlags = (schema: JsonSchema) => flagKeywords.some((flag) => flags.get(schema)?.[flag].size)
  for (const [schema, place] of places) {
    if (flags.mixed.has(schema)) return place
    // Flags don't apply there.
    for (const [part, [keyword = '']] of subschemasOf(schema)) {
      const at = innerPlace(place, keyword)
      const isApart = keyword === 'not' || keyword === 'contains'
      if (isApart && [...shapes.reader.bundle.placesFrom(part, at).keys()].some(hasFlags)) return at
    }
  }
  return undefined
}

/**
 * Returns the schemas that a value is tried by, one after the other. If several of them lead back
 * by one field, checking a body takes exponential time.
 */
function triedSchemas(schema: JsonSchema, reader: SchemaReader, tries: Tries): readonly SchemaValue[] {
  const isDecided = (branches: readonly SchemaValue[], keyword: UnionKeyword) =>
    !(tries === 'all' && keyword === 'anyOf') && reader.discriminatedUnion(branches)?.isRequired === true
  const own: JsonSchema[] = []
  const tried: SchemaValue[] = []
  const chosen: SchemaValue[] = []
  for (const part of unconditional([schema], reader, () => [])) {
    const { properties, patternProperties, additionalProperties, items } = part
    const rules = Object.entries({ properties, patternProperties, additionalProperties, items })
    own.push(Object.fromEntries(rules.filter(([, rule]) => isDefined(rule))))
    tried.push(...[part.if, part.not, ...Object.values(part.dependencies ?? {})].filter(isSchema))
    // One value meets few of these: a field of several of them may be checked once.
    chosen.push(...[part.then, part.else].filter(isSchema))
    for (const keyword of unionKeywords) {
      const branches = part[keyword] ?? []
      ;(isDecided(branches, keyword) ? chosen : tried).push(...branches)
    }
  }
  return tried.length + chosen.length === 0 ? [] : [{ allOf: own }, ...tried, { anyOf: chosen }]
}

function leadsBackTwice(schema: JsonSchema, branches: readonly SchemaValue[], shapes: Shapes): boolean {
  const shapesOfBranches = branches.map((branch) => shapes.of([branch]).narrow(undefined))
  const reaches = (shape: Shape) => [...shape.reachable].some(({ subschemas }) => subschemas.has(schema))
  // Most unions don't contain themselves: their fields need no look.
  if (shapesOfBranches.filter(reaches).length < 2) return false
  const leadsBack = ({ shape }: ShapeMember) => reaches(shape)
  const isTwice = (memberOf: (branch: Shape) => ShapeMember | undefined) => {
    const members = shapesOfBranches
      .map(memberOf)
      .filter((member) => member?.isKnown && member.shape.schemas.length > 0)
    return members.length > 1 && members.filter((member) => member && leadsBack(member)).length > 1
  }
  const names = new Set([...shapesOfBranches.flatMap((branch) => branch.names), othersName])
  return (
    [...names].some((name) =>
      isTwice((branch) => ((branch.kinds & kindBits.object) === 0 ? undefined : branch.field(name)))
    ) || isTwice((branch) => ((branch.kinds & kindBits.array) === 0 ? undefined : branch.item(0)))
  )
}
