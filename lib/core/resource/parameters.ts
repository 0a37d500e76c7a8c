import type { JsonSchema, SchemaValue } from '../../../types/standard-schema.js'
import { noNames, scalarDocument, WrittenSchema } from '../../schema/documents.js'
import type { Issue } from '../../schema/issue.js'
import { isSchema, mapSubschemas, separateKeywords } from '../../schema/keywords.js'
import { kindBits } from '../../schema/reader.js'
import { type Check, type Compile, issuePath, ofLibrary, toIssue } from './issues.js'
import { readJsonSchema } from './json-schema.js'
import { certain, type QueryParameters, toOperand } from './query-rules.js'
import { atOnceOf } from './standard-schema.js'

export const noParameters: QueryParameters = { operands: new Map(), required: [] }

/** @throws {TypeError} if the schema is not that of an object with fields */
export function checkRecord({ shapes: { root } }: WrittenSchema): void {
  if ((root.kinds !== kindBits.object && root.kinds !== kindBits.all) || root.describesNoMembers)
    throw new TypeError('resource() needs the schema of an object with its properties: that of one record')
}

/**
 * Reads the schema of the option `query`.
 * @throws {TypeError} if it is not that of an object with fields, or if its check is asynchronous
 */
export function readParameters(schema: unknown): QueryParameters {
  if (schema === undefined) return noParameters
  const { document } = readJsonSchema(schema, 'input')
  const written = new WrittenSchema(document, { flagged: noNames, ignoresFlags: true })
  checkRecord(written)
  const { root, reader } = written.shapes
  const [missing] = reader.bundle.missing
  if (missing !== undefined)
    throw new TypeError(
      `The parameters of a query can't refer to '${missing}': a schema of app.addSchema is not there yet. Put it into the schema itself`
    )
  const validate = atOnceOf(schema)
  if (isPromised(validate?.({}))) throw new TypeError(asynchronous)
  const properties = separateProperties(written.documentWithout(undefined))
  const shape = root.narrow({})
  const operands = new Map(
    shape.names.map((name) => {
      const property = properties.get(name) ?? scalarDocument(certain(shape.field(name)).shape)
      return [name, { ...toOperand(property), isEquality: true }] as const
    })
  )
  const required = root.required.filter((name) => operands.get(name)?.schema.default === undefined)
  const saysMore = validate === undefined && Object.keys(document).some((keyword) => !separateKeywords.has(keyword))
  return { operands, required, validate, whole: saysMore ? document : undefined }
}

const asynchronous = 'The parameters of a query are checked at once: their schema can not be asynchronous'

/**
 * Returns whether a check returned a promise. Ignores its rejection, which would end the process.
 */
function isPromised(result: unknown): result is Promise<unknown> {
  if (!(result instanceof Promise)) return false
  result.catch(() => {})
  return true
}

/** Returns the properties of a schema, each as a schema of its own with the definitions. */
function separateProperties(document: JsonSchema): ReadonlyMap<string, JsonSchema> {
  // A reference to the whole query, or into it, needs a definition to point to.
  let refersToRoot = false as boolean
  const pointToDefinition = (part: SchemaValue): SchemaValue => {
    if (!isSchema(part)) return part
    const copy = mapSubschemas(part, pointToDefinition)
    if (copy.$ref === undefined || !/^#(\/(?!\$defs\/|definitions\/)|$)/.test(copy.$ref)) return copy
    refersToRoot = true
    return { ...copy, $ref: `#/$defs/query${copy.$ref.slice(1)}` }
  }
  const { properties = {}, definitions, $defs } = mapSubschemas(document, pointToDefinition)
  const all = { ...$defs, ...(refersToRoot && { query: { type: 'object', properties } }) }
  const shared = { ...(definitions && { definitions }), ...(Object.keys(all).length > 0 && { $defs: all }) }
  const toSchema = (property: SchemaValue) => (isSchema(property) ? property : property ? {} : { not: {} })
  return new Map(Object.entries(properties).map(([name, property]) => [name, { ...toSchema(property), ...shared }]))
}

const typeTests = new Map<unknown, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['boolean', (value) => typeof value === 'boolean'],
  ['integer', Number.isInteger],
  ['number', Number.isFinite]
])

/**
 * Creates a check that is compiled with the first value that needs it: queries use few of the
 * fields of a record, and a schema of nothing but one type only compiles for an invalid value.
 */
export function createLazyCheck(compile: Compile, schema: JsonSchema): Check {
  const { type, ...others } = schema
  const isOfType = Object.keys(others).length === 0 ? typeTests.get(type) : undefined
  let check: Check | undefined
  return (value) => {
    if (isOfType?.(value)) return undefined
    check ??= compile(schema)
    return check(value)
  }
}

/**
 * Creates the check of all parameters together, by their library or by the JSON Schema. A query
 * keeps the values that it was sent with: the results of the library are not used.
 *
 * @param isWhole whether required parameters must be there
 */
export function createParameterCheck(
  { operands, required, validate, whole }: QueryParameters,
  isWhole: boolean,
  compile: Compile
): (query: object) => readonly Issue[] {
  if (whole === undefined && validate === undefined) return () => []
  const { required: names, ...others } = whole ?? {}
  const checkWhole = createLazyCheck(compile, { ...others, ...(isWhole && names && { required: names }) })
  return (query) => {
    const sent = Object.fromEntries(Object.entries(query).filter(([name]) => operands.has(name)))
    if (!isWhole && Object.keys(sent).length === 0) return []
    if (whole !== undefined) {
      const problems = checkWhole(sent)
      return problems === undefined ? [] : [toIssue([], problems, 'The query')]
    }
    const result = validate?.(sent)
    if (isPromised(result)) return [{ path: [], keyword: ofLibrary, must: asynchronous }]
    const issues = (result?.issues ?? []).map(
      ({ path, message }): Issue => ({ path: issuePath(path), keyword: ofLibrary, must: message })
    )
    const isAsked = ({ path: [name, ...within] }: Issue) =>
      isWhole || within.length > 0 || Object.hasOwn(sent, String(name)) || !required.includes(String(name))
    return issues.filter(isAsked)
  }
}
