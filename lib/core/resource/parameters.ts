import type { JsonSchema, SchemaValue } from '../../../types/standard-schema.js'
import { noNames, scalarDocument, WrittenSchema } from '../../schema/documents.js'
import type { Fault } from '../../schema/fault.js'
import { isSchema, mapSubschemas, separateKeywords } from '../../schema/keywords.js'
import { kindBits } from '../../schema/reader.js'
import { readJsonSchema } from './json-schema.js'
import { type Check, type Compile, issuePath, ofLibrary, toFault } from './problem.js'
import { certain, type QueryParameters, toOperand } from './query-rules.js'
import { atOnceOf } from './validate.js'

export const noParameters: QueryParameters = { operands: new Map(), required: [] }

/** @throws {TypeError} when a schema is not that of an object with fields */
export function checkRecord({ shapes: { root } }: WrittenSchema): void {
  if ((root.kinds !== kindBits.object && root.kinds !== kindBits.all) || root.saysNothing)
    throw new TypeError('resource() needs the schema of an object with its properties: that of one record')
}

/**
 * Reads the schema of the parameters of a query.
 *
 * @throws {TypeError} when it is not that of an object with fields, or is checked asynchronously
 */
export function readParameters(schema: unknown): QueryParameters {
  if (schema === undefined) return noParameters
  const { document } = readJsonSchema(schema, 'input')
  const written = new WrittenSchema(document, { flagged: noNames, ignoresFlags: true })
  checkRecord(written)
  const [missing] = written.shapes.reader.bundle.missing
  if (missing !== undefined)
    throw new TypeError(
      `The parameters of a query can't refer to '${missing}': a schema of app.addSchema is not there yet. Put it into the schema itself`
    )
  const validate = atOnceOf(schema)
  const result = validate?.({})
  if (result instanceof Promise) {
    result.catch(() => {})
    throw new TypeError(asynchronous)
  }
  const spelledOut = spelledOutIn(written)
  const { root } = written.shapes
  const shape = root.of({})
  const operands = new Map(
    shape.names.map((name) => {
      const property = spelledOut.get(name) ?? scalarDocument(certain(shape.field(name)).shape)
      return [name, { ...toOperand(property), isEquality: true }] as const
    })
  )
  const required = root.required.filter((name) => operands.get(name)?.schema.default === undefined)
  const saysMore = validate === undefined && Object.keys(document).some((keyword) => !separateKeywords.has(keyword))
  return { operands, required, validate, whole: saysMore ? document : undefined }
}

const asynchronous = 'The parameters of a query are checked at once: their schema can not be asynchronous'

/** The schemas of the parameters that a schema lists itself. */
function spelledOutIn(written: WrittenSchema): ReadonlyMap<string, JsonSchema> {
  const root = written.documentWithout(undefined)
  // Each parameter becomes a schema of its own, so a reference to the query, or into it, needs a definition to point to.
  let refersToRoot = false as boolean
  const pointToDefinition = (part: SchemaValue): SchemaValue => {
    if (!isSchema(part)) return part
    const copy = mapSubschemas(part, pointToDefinition)
    if (copy.$ref === undefined || !/^#(\/(?!\$defs\/|definitions\/)|$)/.test(copy.$ref)) return copy
    refersToRoot = true
    return { ...copy, $ref: `#/$defs/query${copy.$ref.slice(1)}` }
  }
  const { properties = {}, definitions, $defs } = mapSubschemas(root, pointToDefinition)
  const all = { ...$defs, ...(refersToRoot && { query: { type: 'object', properties } }) }
  const shared = { ...(definitions && { definitions }), ...(Object.keys(all).length > 0 && { $defs: all }) }
  const whole = (property: SchemaValue) => (isSchema(property) ? property : property ? {} : { not: {} })
  return new Map(Object.entries(properties).map(([name, property]) => [name, { ...whole(property), ...shared }]))
}

/**
 * Makes what judges the parameters of a query together, by their library, or by the JSON Schema. What it makes of them is not taken: a query has the values that its schema says are sent.
 *
 * @param isWhole whether those that must be there are asked for
 */
export function createParameterJudge(
  { operands, required, validate, whole }: QueryParameters,
  isWhole: boolean,
  compile: Compile
): (query: object) => readonly Fault[] {
  if (whole === undefined && validate === undefined) return () => []
  let check: Check | undefined
  return (query) => {
    const sent = Object.fromEntries(Object.entries(query).filter(([name]) => operands.has(name)))
    if (!isWhole && Object.keys(sent).length === 0) return []
    if (whole !== undefined) {
      const { required: _, ...others } = whole
      check ??= compile(isWhole ? whole : others)
      const problems = check(sent)
      return problems === undefined ? [] : [toFault([], problems, 'The query')]
    }
    const result = validate?.(sent)
    if (result instanceof Promise) {
      result.catch(() => {})
      return [{ path: [], keyword: ofLibrary, must: asynchronous }]
    }
    const faults = (result?.issues ?? []).map(
      ({ path, message }): Fault => ({ path: issuePath(path), keyword: ofLibrary, must: message })
    )
    const isAsked = ({ path: [name, ...within] }: Fault) =>
      isWhole || within.length > 0 || Object.hasOwn(sent, String(name)) || !required.includes(String(name))
    return faults.filter(isAsked)
  }
}
