import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { serverSetBySchema, serverSetNames } from './body-names.js'
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
    found: 'there is `unevaluatedProperties` or `unevaluatedItems` beside a union or a condition',
    write: 'Use `additionalProperties` in the branches. Or leave it out: an object that names fields accepts no others'
  },
  dynamicReference: {
    found: 'there is `$dynamicRef` or `$recursiveRef`',
    write: 'Write `$ref`'
  },
  endlessUnion: {
    found: 'several branches of a union contain the union itself, and it declares no discriminator',
    write:
      "Give each branch a constant that it requires: `z.discriminatedUnion('kind', […])` of zod, `v.variant('kind', […])` of Valibot, " +
      "`required: ['kind']` beside `kind: { const: … }` in JSON Schema"
  },
  sharedRequirement: {
    found: 'a definition requires a field, or a number of fields, and only the server sets the field at another place',
    write: 'Flag the field in the definition, or write a definition for each place'
  },
  endlessCondition: {
    found: 'it contains itself by one field both within and beside a condition or a union',
    write: 'Describe the field in one of them'
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
  for (const [schema, place] of places) {
    if (schema.$dynamicRef !== undefined || schema.$recursiveRef !== undefined)
      throw refuse(label, 'dynamicReference', place)
    if (isRuleBesideBranches(schema, reader)) throw refuse(label, 'unevaluated', place)
    if (shapes.ignoresFlags) continue
    for (const [part, [keyword = '', key]] of subschemasOf(schema)) {
      const flagged = isConditional(keyword) ? placeOfFlag(part, innerPlace(place, keyword, key), shapes) : undefined
      if (flagged !== undefined) throw refuse(label, 'conditionalFlag', flagged)
    }
  }
  if (tries === 'none' || !reader.bundle.hasReferences) return
  // A library asks for the fields itself.
  const shared = tries === 'all' ? undefined : findSharedRequirement(shapes, places)
  if (shared !== undefined) throw refuse(label, 'sharedRequirement', shared)
  const endless = findEndlessUnion(shapes, places, tries === 'all')
  if (endless !== undefined) throw refuse(label, 'endlessUnion', places.get(endless) ?? '')
  for (const [schema, place] of places)
    if (leadsBackTwice(schema, checkedTogether(schema, reader), shapes)) throw refuse(label, 'endlessCondition', place)
}

/**
 * Whether fields or items that other rules don't describe have a rule, beside a union or a
 * condition that describes some.
 */
function isRuleBesideBranches(schema: JsonSchema, reader: SchemaReader): boolean {
  const [fields, items] = [schema.unevaluatedProperties, schema.unevaluatedItems].map(ruleOf)
  if (fields === undefined && items === undefined) return false
  const applying = [...unconditional([schema], reader, () => [])]
  const branches = applying.flatMap((part) => [
    ...reader.conditional(part),
    // The discriminator of a body decides which of its names are known.
    ...[part.anyOf ?? [], part.oneOf ?? []].flatMap((union) =>
      fields === false && items === undefined && reader.discriminatedUnion(union)?.isRequired ? [] : union
    )
  ])
  // An item that `contains` describes counts as described.
  if (items !== undefined && applying.some(({ contains }) => contains !== undefined)) return true
  const isWithRule = isSchema(fields) || items !== undefined
  const known = new Set(applying.flatMap(describedNames))
  return isWithRule
    ? branches.length > 0
    : branches.some((branch) => namesAt(branch, reader).some((name) => !known.has(name)))
}

/** A schema that accepts everything is no rule. */
const ruleOf = (schema: SchemaValue | undefined) =>
  schema === true || (isSchema(schema) && Object.keys(schema).length === 0) ? undefined : schema

const describedNames = ({ properties = {}, patternProperties = {} }: JsonSchema) => [
  ...Object.keys(properties),
  ...Object.keys(patternProperties).map((pattern) => `/${pattern}/`)
]

/** Returns the names that a branch describes, also by branches of its own. */
function namesAt(branch: SchemaValue, reader: SchemaReader): string[] {
  const all = (schemas: readonly SchemaValue[]) => schemas
  return [...unconditional([branch], reader, all)].flatMap((part) => [
    ...describedNames(part),
    ...reader.conditional(part).flatMap((inner) => namesAt(inner, reader))
  ])
}

/** Returns the place of the first flag within a schema. */
function placeOfFlag(start: SchemaValue, place: string, shapes: Shapes): string | undefined {
  const isFlagged = (schema: JsonSchema) =>
    flagKeywords.some((flag) => schema[flag] === true || (shapes.isRecord(schema) && shapes.flagged[flag].size > 0))
  return [...shapes.reader.bundle.placesFrom(start, place)].find(([schema]) => isFlagged(schema))?.[1]
}

/**
 * Finds a place where a definition asks for fields that the server sets at another one. Bodies are
 * checked by one definition for all places, which does not ask for them.
 */
function findSharedRequirement(shapes: Shapes, places: ReadonlyMap<JsonSchema, string>): string | undefined {
  const bySchema = serverSetBySchema(shapes)
  const isLost = (schema: JsonSchema, names: ReadonlySet<string>, isAsked: (name: string) => boolean) => {
    const all = bySchema.get(schema) ?? new Set()
    const missing = (schema.required ?? []).some((name) => all.has(name) && !names.has(name) && !isAsked(name))
    return missing || (schema.minProperties !== undefined && all.size > names.size)
  }
  for (const shape of bySchema.size === 0 ? [] : shapes.root.reachable) {
    const names = serverSetNames(shape.narrow(undefined))
    const lost = [...shape.subschemas].find((schema) => isLost(schema, names, (name) => shape.required.includes(name)))
    if (lost !== undefined) return places.get(lost) ?? ''
  }
  for (const schema of places.keys())
    for (const part of [schema.not, schema.contains]) {
      const target = isSchema(part) ? (shapes.reader.bundle.target(part) ?? part) : undefined
      if (isSchema(target) && isLost(target, new Set(), () => false)) return places.get(target)
    }
  return undefined
}

/**
 * Finds a union that contains itself by one name in several branches, of which all would be tried
 * at each level of a body.
 */
function findEndlessUnion(
  shapes: Shapes,
  places: ReadonlyMap<JsonSchema, string>,
  triesAll: boolean
): JsonSchema | undefined {
  const { reader } = shapes
  const isUndecided = (schema: JsonSchema, keyword: UnionKeyword) =>
    (schema[keyword]?.length ?? 0) > 1 &&
    ((triesAll && keyword === 'anyOf') || reader.discriminatedUnion(schema[keyword] ?? [])?.isRequired !== true)
  for (const schema of places.keys())
    for (const keyword of unionKeywords)
      if (isUndecided(schema, keyword) && leadsBackTwice(schema, schema[keyword] ?? [], shapes)) return schema
  return undefined
}

/**
 * The schemas by which one value may be checked one after the other. Nothing, if the value decides
 * nothing.
 */
function checkedTogether(schema: JsonSchema, reader: SchemaReader): readonly SchemaValue[] {
  const sure = [...unconditional([schema], reader, () => [])]
  const tests = sure.flatMap((part) => [part.if, part.not, ...Object.values(part.dependencies ?? {})]).filter(isSchema)
  // One value meets few of these: a field of several of them may be checked once.
  const chosen = sure.flatMap((part) => [[part.then, part.else].filter(isSchema), unionBranches(part)].flat())
  if (tests.length + chosen.length === 0) return []
  const own = sure.map(({ properties, patternProperties, additionalProperties, items }) =>
    Object.fromEntries(
      Object.entries({ properties, patternProperties, additionalProperties, items }).filter(([, rule]) =>
        isDefined(rule)
      )
    )
  )
  return [{ allOf: own }, ...tests, { anyOf: chosen }]
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
