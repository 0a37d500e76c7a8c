import type { FastifyInstance, FastifyRequest, FastifySchema, preValidationHookHandler } from 'fastify'
import type { JsonSchema } from '../../../types/resource.js'
import { idFieldOf, takesMany } from '../../core/adapters/feathers.js'
import { addingParameters, type Describable } from '../../core/description.js'
import { BadRequest, NotFound } from '../../core/errors.js'
import { methods } from '../../core/methods.js'
import { once } from '../../core/objects.js'
import { idName } from '../../core/path.js'
import { type BodyValidator, createBodyCheck } from '../../core/resource/body.js'
import { type BodyRules, maySendOf } from '../../core/resource/body-rules.js'
import type { Compile } from '../../core/resource/issues.js'
import { type MethodRules, type Outgoing, rulesOf } from '../../core/resource/method-rules.js'
import { createLazyCheck, createQueryReader } from '../../core/resource/query-reader.js'
import { operandOf } from '../../core/resource/query-rules.js'
import { createProjection, type Project } from '../../schema/project.js'
import { refuseSchemas, type Tries } from '../../schema/refused.js'
import type { Shapes } from '../../schema/shape.js'
import { nonStringReader, textReader } from '../../schema/text.js'
import packages from './packages.cjs'
import { createBodyValidator, createCompile } from './validator.js'

type RouteSchema = { schema: JsonSchema; httpPart?: string }
type CompileValidator = (route: RouteSchema) => unknown

/**
 * Returns the compilers and hooks of the routes of a resource, `undefined` for other schemas. The
 * compilers ignore the host's options, and the validator of the query also converts it. The hooks
 * check the id and the body.
 *
 * @param label of the method, as in `users.create`
 * @param isTyped whether the values of a query are JSON, not strings
 * @throws {TypeError} if a reference of the schema has no target, in `app.addSchema` either
 */
export function resourceRoute(
  label: string,
  schema: FastifySchema | undefined,
  entry: Describable,
  instance: FastifyInstance,
  isTyped: boolean
) {
  const { object, path } = entry
  const rules = rulesOf(schema)
  if (rules === undefined) return undefined
  const record = rules.record.outgoing.written.shapes
  const idField = idFieldOf(object)
  checkRuleSchemas(path, label, rules, record)
  const querystring = queryValidator(rules, record, isTyped, () => addingParameters(entry, rules.method))
  const { body } = rules
  const host = instance.validatorCompiler as CompileValidator | undefined
  // Fastify asks for validators and serializers of each route, and services use few of them.
  const validatorOf = once(() => host ?? createFastifyValidator(instance))
  return {
    checks: [
      ...(takesId(rules.method) && record.root.names.includes(idField)
        ? [createIdCheck(record, idField, idName(path))]
        : []),
      ...(body === undefined ? [] : [createCheck(label, body, body.takesLists ?? takesMany(object, rules.method))])
    ],
    maySend: body && maySendOf(body),
    compilers: {
      validatorCompiler(part: { schema: unknown; httpPart?: string }) {
        if (part.httpPart === 'querystring') return querystring as unknown as () => boolean
        // A hook checks the body, since Fastify ignores the value of an async validator.
        if (part.httpPart === 'body') return () => true
        return validatorOf()(part as RouteSchema) as () => boolean
      },
      // Each answer sets its own serializer.
      serializerCompiler: () => JSON.stringify
    }
  }
}

/**
 * Checks the schemas of a method at startup. Those that several methods share are checked for the
 * first one.
 *
 * @throws {TypeError} if one is refused
 */
function checkRuleSchemas(path: string, label: string, { body, outgoing }: MethodRules, record: Shapes) {
  const check = (subject: string, shapes: Shapes, tries: Tries) =>
    shapes.root.remember(`${refuseSchemas.name} ${tries}`, () => refuseSchemas(subject, shapes, tries))
  // Queries compare with the fields of answers.
  check(path, record, 'none')
  check(label, outgoing.written.shapes, 'none')
  if (body !== undefined) check(body.isOwn ? label : path, body.written.shapes, body.triesAll ? 'all' : 'undecided')
}

function createFastifyValidator(instance: FastifyInstance): CompileValidator {
  return packages.fastifyCompiler()(instance.getSchemas(), { customOptions: {} })
}

// The queries and ids of all methods share the compiled schemas of the fields.
const compileOf = ({ root }: Shapes): Compile => root.remember(compileOf, createCompile)

function queryValidator(rules: MethodRules, record: Shapes, isTyped: boolean, added: () => readonly string[]) {
  const reader = once(() => createQueryReader(rules, record.root, compileOf(record), isTyped, added()))
  return (value: Record<string, unknown>) => {
    try {
      return { value: reader()(value) }
    } catch (error) {
      // Fastify answers a thrown error with 500, and sets `statusCode` of a returned one.
      if (!(error instanceof BadRequest)) throw error
      return { error: Object.defineProperty(error, 'statusCode', { value: 400, writable: true }) }
    }
  }
}

/** Returns the projection of results, with their shape. */
export function projectionOf({ written, converts }: Outgoing) {
  const shapes = written.shapes
  return { project: projectionBy(shapes, converts), shape: shapes.root }
}

const projectionBy = (shapes: Shapes, converts: boolean): Project =>
  shapes.root.remember(projectionBy, () => createProjection(shapes, converts))

const bodyValidatorOf = (shapes: Shapes): BodyValidator =>
  shapes.root.remember(bodyValidatorOf, () => createBodyValidator(shapes))

/** Whether a method may be called at the URL of a record. */
const takesId = (method: string): boolean => methods.get(method)?.arguments.includes('id') ?? true

/**
 * Creates the hook that answers an id that can't match the schema with 404: a database may refuse
 * it.
 */
function createIdCheck(record: Shapes, idField: string, name: string): preValidationHookHandler {
  const operand = operandOf(record.root.field(idField).shape)
  if (operand === undefined) return (_request, _reply, done) => done()
  const { schema, shape } = operand
  const [read, readOther] = [textReader(shape), nonStringReader(shape)]
  const check = createLazyCheck(compileOf(record), schema)
  const isValid = (value: unknown) => check(value) === undefined
  return (request, _reply, done) => {
    const { [name]: id } = request.params as Record<string, string | undefined>
    const isFound = id === undefined || isValid(read(id)) || isValid(readOther(id))
    done(isFound ? undefined : new NotFound(`No record found for id '${id}'`))
  }
}

/** @throws {TypeError} if the library of the schema can't check such bodies */
function createCheck(label: string, body: BodyRules, takesLists: boolean): preValidationHookHandler {
  const shapes = body.written.shapes
  const guards = body.guards.map((written) => written.shapes)
  const check = withLabel(label, () => createBodyCheck(body, takesLists, shapes, guards, () => bodyValidatorOf(shapes)))
  const { mayBeAbsent } = body
  return (request, _reply, done) => {
    const set = (body: unknown) => {
      request.body = body
      done()
    }
    const body = request.body === undefined && mayBeAbsent ? {} : request.body
    const checked = check(isForm(request) ? textReader(shapes.root)(body) : body)
    if (checked instanceof Promise) checked.then(set, done)
    else set(checked)
  }
}

/** Adds the method to the error of a schema. */
function withLabel<T>(label: string, create: () => T): T {
  try {
    return create()
  } catch (cause) {
    throw new TypeError(`${label}: ${(cause as Error).message}`, { cause })
  }
}

const isForm = ({ headers }: FastifyRequest) =>
  /^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(String(headers['content-type']))
