import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { SchemaValue } from '../../../types/standard-schema.js'
import { type SchemaErrorFormatter, schemaErrorFormatterOf } from '../../compat/schema-error-formatter.js'
import { allTypes, contentByType, isJSON } from '../../core/content.js'
import { responsesIn } from '../../core/description.js'
import { BadRequest } from '../../core/errors.js'
import type { MethodDefinition } from '../../core/methods.js'
import { isPromise } from '../../core/objects.js'
import { rootOf } from '../../core/plugin-state.js'
import { rulesOf } from '../../core/resource/method-rules.js'
import { isSchema, mapSubschemas, subschemasOf } from '../../schema/keywords.js'
import { isLocalReference, parseDefinitionReference } from '../../schema/pointer.js'

export type Schema = Record<string, unknown>

/** Returns the response schemas by status. A schema without a status is for every success. */
export const responses = ({ response }: FastifySchema) => responsesIn(response) as Map<string, Schema>

/**
 * Derives the schemas of the routes of a method. Its own schema describes one record, while `find`
 * returns lists and pages, and a call for many records a list. If the application has a serializer
 * compiler, schemas may be of any kind and are not changed.
 *
 * @returns a function that returns the schema of a route. `isMany` is true for many records
 */
export function routeSchemas(
  method: MethodDefinition,
  schema: FastifySchema | undefined,
  instance: FastifyInstance
): (isMany: boolean) => FastifySchema | undefined {
  const byStatus = [...responses(schema ?? {})]
  if (byStatus.length === 0) return () => schema
  const keepsSchemas = hasOwnCompiler(schema as FastifySchema, instance)
  const withAnswers = (answer: (record: Schema) => Schema): FastifySchema => ({
    ...schema,
    response: Object.fromEntries(
      byStatus.map(([status, record]) => [status, status.startsWith('2') ? answer(record) : record])
    )
  })
  const isOfResource = rulesOf(schema) !== undefined
  const ofMany = (answer: (list: Schema) => Schema) =>
    withAnswers((declared) =>
      mapContent(declared, (record) => {
        const list = listOf(isOfResource ? withinDefinition(record) : record)
        return list === undefined ? record : answer(list)
      })
    )
  if (!keepsSchemas && answersPages(method)) return () => ofMany(pagesOf)
  const single = withAnswers((record) => record)
  // Only a resource has a serializer that does not depend on the schema of the route.
  if (!isOfResource) return () => single
  // `create` and custom methods take one record, or a list.
  const answer = method.id === 'optional' ? (list: Schema) => list : recordOrList
  return (isMany) => (isMany ? ofMany(answer) : single)
}

/** Whether a response is declared by content type. */
export const hasContentTypes = (answers: Iterable<Schema>): boolean =>
  [...answers].some((answer) => contentByType(answer))

/** Changes the schema of a response, or of each of its content types that is JSON. */
function mapContent(answer: Schema, change: (schema: Schema) => Schema): Schema {
  const content = contentByType(answer)
  if (content === undefined) return change(answer)
  const changed = Object.entries(content).map(([type, media]) => {
    const { schema = {} } = Object(media) as { schema?: Schema }
    return [type, { ...Object(media), schema: isJSON(type) || type === allTypes ? change(schema) : schema }]
  })
  return { ...answer, content: Object.fromEntries(changed) }
}

/**
 * Whether the application has a serializer compiler, whose schemas may be of any kind. A resource
 * has its own one.
 */
export const hasOwnCompiler = (schema: FastifySchema, instance: FastifyInstance): boolean =>
  instance.serializerCompiler !== undefined && rulesOf(schema) === undefined

/** Whether a method returns lists and pages. */
export const answersPages = ({ verb, path }: MethodDefinition) => verb === 'GET' && path === ''

function pagesOf({ type, items, ...definitions }: Schema): Schema {
  const data = { type, items }
  const count = { type: 'integer' }
  const page = { type: 'object', properties: { total: count, limit: count, skip: count, data } }
  return { anyOf: [data, page], ...definitions }
}

/** Moves a schema that refers to itself into a definition, so that a list can refer to it. */
function withinDefinition(record: Schema): Schema {
  if (listOf(record) !== undefined) return record
  const moved = (part: SchemaValue): SchemaValue => {
    if (!isSchema(part)) return part
    const copy = mapSubschemas(part, moved)
    return isLocalReference(copy.$ref) ? { ...copy, $ref: `#/definitions/record${copy.$ref.slice(1)}` } : copy
  }
  return { $ref: '#/definitions/record', definitions: { record: moved(record) } }
}

function recordOrList({ type, items, ...definitions }: Schema): Schema {
  return { anyOf: [items, { type, items }], ...definitions }
}

/**
 * Returns the schema of a list of records, with the definitions of the record at its root.
 * `undefined` if the record refers to its root in another way.
 */
export function listOf(record: Schema): Schema | undefined {
  if (isTiedToRoot(record)) return undefined
  const { definitions, $defs, ...items } = record
  return {
    type: 'array',
    items,
    ...(definitions !== undefined && { definitions }),
    ...($defs !== undefined && { $defs })
  }
}

/**
 * Whether a schema has an id, or a reference to its root other than to a definition. Within the
 * schema of a list, these would mean something else.
 */
function isTiedToRoot(schema: SchemaValue): boolean {
  if (!isSchema(schema)) return false
  const { $id, $ref } = schema
  if ($id !== undefined || (isLocalReference($ref) && parseDefinitionReference($ref) === undefined)) return true
  return [...subschemasOf(schema)].some(([part]) => isTiedToRoot(part))
}

type ValidationIssue = { readonly instancePath?: string; readonly message?: string }
type Validate = ((value: unknown) => unknown) & { errors?: ValidationIssue[] | null }

/**
 * Validates each record of a batch by the schema of one record. By then, Fastify has applied it to
 * the whole body, failed and stopped, so this validates query and headers, too.
 *
 * @throws {BadRequest} if a record, the query or the headers are invalid, or the error of the
 * application's `schemaErrorFormatter`
 */
export async function validateBatch(request: FastifyRequest): Promise<void> {
  const { body, validationError } = request
  if (!Array.isArray(body) || validationError?.validationContext === 'params') {
    if (validationError !== undefined) throw validationError
    return
  }
  const validateRecord = request.getValidationFunction('body') as Validate | undefined
  for (const [index, record] of body.entries()) {
    const answer = validateRecord?.(record)
    // Awaiting each record of a large batch would take longer than the check itself.
    body[index] = toValidated(request, 'body', isPromise(answer) ? await answer : answer, record, validateRecord, index)
  }
  for (const part of ['querystring', 'headers'] as const) {
    const validate = request.getValidationFunction(part) as Validate | undefined
    const value = part === 'headers' ? request.headers : request.query
    const checked = toValidated(request, part, await validate?.(value), value, validate)
    if (part === 'querystring') request.query = checked
  }
}

/**
 * The answer of a validator of the application. Validators of type providers have a list of issues
 * as the error.
 */
type Verdict = { readonly error?: Error | readonly ValidationIssue[]; readonly value?: unknown } | false | null

/**
 * Returns the value of a part of a request, as its validator may have changed it.
 * @throws {BadRequest} if it is invalid
 */
function toValidated(
  request: FastifyRequest,
  part: string,
  answer: unknown,
  value: unknown,
  validate?: Validate,
  index?: number
): unknown {
  if (typeof answer !== 'object' && answer !== false) return value
  const verdict = answer as Verdict
  const path = index === undefined ? '' : `/${index}`
  const error = verdict === false ? (validate?.errors ?? []) : verdict?.error
  if (Array.isArray(error))
    throw toValidationError(part, path, error, schemaErrorFormatterOf(request.server, rootOf(request.server)))
  if (error) throw new BadRequest(`${part}${path} is not valid: ${(error as Error).message}`)
  return verdict && 'value' in verdict ? verdict.value : value
}

function toValidationError(
  part: string,
  path: string,
  issues: readonly ValidationIssue[],
  format: SchemaErrorFormatter | undefined
): Error {
  const validation = issues.map((issue) => ({ ...issue, instancePath: `${path}${issue.instancePath ?? ''}` }))
  if (format === undefined) {
    const text = `${part}${validation[0]?.instancePath ?? path} ${validation[0]?.message ?? 'is not valid'}`
    return new BadRequest(text, { errors: validation })
  }
  const error = format(validation, part)
  const { statusCode = 400, code = 'FST_ERR_VALIDATION' } = error
  return Object.assign(error, { statusCode, code, validation, validationContext: part })
}
