import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { SchemaValue } from '../../../types/standard-schema.js'
import { type SchemaErrorFormatter, schemaErrorFormatterOf } from '../../compat/schema-error-formatter.js'
import { allTypes, contentByType, isJSON } from '../../core/content.js'
import { responsesIn } from '../../core/description.js'
import { BadRequest } from '../../core/errors.js'
import { rootOf } from '../../core/host.js'
import type { MethodDefinition } from '../../core/methods.js'
import { isPromise } from '../../core/objects.js'
import { rulesOf } from '../../core/resource/method-rules.js'
import { isSchema, mapSubschemas, subschemasOf } from '../../schema/keywords.js'
import { isLocalReference, parseDefinitionReference } from '../../schema/pointer.js'

export type Schema = Record<string, unknown>

/**
 * The response schemas of a method by status. A schema without a status is that of every success.
 */
export const responses = ({ response }: FastifySchema) => responsesIn(response) as Map<string, Schema>

/**
 * Makes the schemas of the routes of a method from its own, which describes one record, while
 * `find` answers lists and pages, and a call for many records a list. If the application has a
 * serializer compiler of its own, schemas may be of any kind and are not changed.
 *
 * @returns the schema of a route, by whether that is one for many records
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
  // The routes of a resource alone have a serializer that no schema of a route concerns.
  if (!isOfResource) return () => single
  // `create` and custom methods take one record, or a list.
  const answer = method.id === 'optional' ? (list: Schema) => list : recordOrList
  return (isMany) => (isMany ? ofMany(answer) : single)
}

/** Whether answers are declared by their content type. */
export const hasContentTypes = (answers: Iterable<Schema>): boolean =>
  [...answers].some((answer) => contentByType(answer))

/** A copy of an answer with another schema, or with another one of each type that is no file. */
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
 * Whether an application serializes by a compiler of its own, whose schemas may be of any kind. A
 * resource brings its own.
 */
export const hasOwnCompiler = (schema: FastifySchema, instance: FastifyInstance): boolean =>
  instance.serializerCompiler !== undefined && rulesOf(schema) === undefined

/** Whether a method answers lists and pages. */
export const answersPages = ({ verb, path }: MethodDefinition) => verb === 'GET' && path === ''

function pagesOf({ type, items, ...definitions }: Schema): Schema {
  const data = { type, items }
  const count = { type: 'integer' }
  const page = { type: 'object', properties: { total: count, limit: count, skip: count, data } }
  return { anyOf: [data, page], ...definitions }
}

/** A schema that refers to itself, as a definition, which may stand in that of a list. */
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
 * The schema of a list of records. Definitions that the record refers to move to the root;
 * `undefined` where a schema refers to itself in another way.
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
 * Whether a schema has an id, or refers to what is none of the definitions, here or within: in a
 * list, it would mean something else.
 */
function isTiedToRoot(schema: SchemaValue): boolean {
  if (!isSchema(schema)) return false
  const { $id, $ref } = schema
  if ($id !== undefined || (isLocalReference($ref) && parseDefinitionReference($ref) === undefined)) return true
  return [...subschemasOf(schema)].some(([part]) => isTiedToRoot(part))
}

type ValidationProblem = { readonly instancePath?: string; readonly message?: string }
type Validate = ((value: unknown) => unknown) & { errors?: ValidationProblem[] | null }

/**
 * Validates each record of a batch by the schema of one record. Fastify has tried it on the whole
 * body by then, failed and stopped there: so query and headers are validated here too.
 *
 * @throws {BadRequest} when a record, the query or the headers are not valid, or what the
 * `schemaErrorFormatter` of the application makes of it
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
    // A promise for each record of a large batch takes longer than the check itself.
    body[index] = judged(request, 'body', isPromise(answer) ? await answer : answer, record, validateRecord, index)
  }
  for (const part of ['querystring', 'headers'] as const) {
    const validate = request.getValidationFunction(part) as Validate | undefined
    const value = part === 'headers' ? request.headers : request.query
    const checked = judged(request, part, await validate?.(value), value, validate)
    if (part === 'querystring') request.query = checked
  }
}

/**
 * What the validator of an application answers, as Fastify has it. Those of type providers have a
 * list of problems as the error.
 */
type Judgement = { readonly error?: Error | readonly ValidationProblem[]; readonly value?: unknown } | false | null

/**
 * The value of a part of a request, after its validator has answered.
 * @throws {BadRequest} when it is not valid
 */
function judged(
  request: FastifyRequest,
  part: string,
  answer: unknown,
  value: unknown,
  validate?: Validate,
  index?: number
): unknown {
  if (typeof answer !== 'object' && answer !== false) return value
  const judgement = answer as Judgement
  const path = index === undefined ? '' : `/${index}`
  const error = judgement === false ? (validate?.errors ?? []) : judgement?.error
  if (Array.isArray(error))
    throw invalid(part, path, error, schemaErrorFormatterOf(request.server, rootOf(request.server)))
  if (error) throw new BadRequest(`${part}${path} is not valid: ${(error as Error).message}`)
  return judgement && 'value' in judgement ? judgement.value : value
}

function invalid(
  part: string,
  path: string,
  faults: readonly ValidationProblem[],
  format: SchemaErrorFormatter | undefined
): Error {
  const problems = faults.map((problem) => ({ ...problem, instancePath: `${path}${problem.instancePath ?? ''}` }))
  if (format === undefined) {
    const text = `${part}${problems[0]?.instancePath ?? path} ${problems[0]?.message ?? 'is not valid'}`
    return new BadRequest(text, { errors: problems })
  }
  const error = format(problems, part)
  const { statusCode = 400, code = 'FST_ERR_VALIDATION' } = error
  return Object.assign(error, { statusCode, code, validation: problems, validationContext: part })
}
