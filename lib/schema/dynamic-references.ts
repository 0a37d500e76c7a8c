import type { JsonSchema, SchemaValue } from '../../types/standard-schema.js'
import { isSchema, mapSubschemas, subschemasOf } from './keywords.js'

/**
 * Writes references that depend on the way to them (`$dynamicRef` of 2020-12, `$recursiveRef` of 2019-09) as others. Where an anchor stands once, they mean the same.
 *
 * @throws {TypeError} when an anchor that one of them names stands more than once
 */
export function withoutDynamicReferences(documents: readonly JsonSchema[]): readonly JsonSchema[] {
  const parts = [...new Set(documents.flatMap((document) => [...allWithin(document)]))]
  const references = new Set(
    parts.flatMap(({ $dynamicRef, $recursiveRef }) => [$dynamicRef ?? [], $recursiveRef ?? []].flat())
  )
  if (references.size === 0) return documents
  for (const reference of references) {
    const isMeant = ({ $dynamicAnchor, $recursiveAnchor }: JsonSchema) =>
      reference === '#' ? $recursiveAnchor === true : reference === `#${$dynamicAnchor}`
    if (parts.filter(isMeant).length > 1)
      throw new TypeError(
        `The reference '${reference}' leads to several anchors, of which the way to it decides. Refer to one of them by '$ref'`
      )
  }
  return documents.map((document) => toStatic(document) as JsonSchema)
}

function* allWithin(schema: SchemaValue): Generator<JsonSchema> {
  if (!isSchema(schema)) return
  yield schema
  for (const [part] of subschemasOf(schema)) yield* allWithin(part)
}

function toStatic(schema: SchemaValue): SchemaValue {
  if (!isSchema(schema)) return schema
  const { $dynamicRef, $recursiveRef, $dynamicAnchor, $recursiveAnchor, ...words } = mapSubschemas(schema, toStatic)
  const anchored = $dynamicAnchor === undefined ? words : { $anchor: $dynamicAnchor, ...words }
  const $ref = $dynamicRef ?? $recursiveRef
  if (typeof $ref !== 'string') return anchored
  if (words.$ref === undefined) return { ...anchored, $ref }
  return { ...anchored, allOf: [...(words.allOf ?? []), { $ref }] }
}
