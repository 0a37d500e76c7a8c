import { createRequire } from 'node:module'
import type { FastifyInstance, FastifyRequest, FastifySchema, preValidationHookHandler } from 'fastify'
import type { JsonSchema } from '../../types/resource.js'
import { type BodyRules, createBodyCheck } from '../core/resource/body.js'
import type { Compile, Problem } from '../core/resource/problem.js'
import { createQueryReader } from '../core/resource/query-reader.js'
import { rulesOf } from '../core/resource/resource.js'
import { toResponseSchema } from '../core/resource/response.js'
import { createRead } from '../core/resource/text.js'
import type { Serialize } from './serializer.js'

type Validate = ((value: unknown) => boolean) & { errors?: Problem[] | null }
type RouteSchema = { schema: JsonSchema; httpPart?: string }
type Build = (shared: Record<string, unknown>, options: object) => (route: RouteSchema) => unknown

// Fastify loads them when the first route needs one, and so do we.
const require = createRequire(import.meta.url)
let build: { validator: Build; serializer: Build } | undefined

function builders() {
  build ??= {
    validator: (require('@fastify/ajv-compiler') as () => Build)(),
    serializer: (require('@fastify/fast-json-stringify-compiler') as () => Build)()
  }
  return build
}

// Of Fastify's own options some drop what a schema does not name, and make texts of numbers. A resource refuses both, on any host.
const strict = { coerceTypes: false, removeAdditional: false, verbose: true, strictTypes: false, strictTuples: false }

/**
 * What the routes of a resource have of their own: compilers that know no options of the host, of which that of validators reads the query, and a hook that checks
 * the body. Nothing for other schemas.
 */
export function resourceRoute(schema: FastifySchema | undefined, instance: FastifyInstance) {
  const rules = rulesOf(schema)
  if (rules === undefined) return undefined
  const shared = instance.getSchemas()
  const { validator, serializer } = builders()
  const compile: Compile = (schema) => {
    const validate = validator(shared, { customOptions: strict })({ schema }) as Validate
    return (value) => (validate(value) ? undefined : (validate.errors as Problem[]))
  }
  // The rest is compiled when it is needed. A mistake in the schema is told at the start.
  compile(rules.record)
  const asFastify = validator(shared, { customOptions: {} })
  const host = instance.validatorCompiler as typeof asFastify | undefined
  const toJson = serializer(shared, {})
  const readQuery = createQueryReader(rules.query, rules.method, compile)
  const own = new Map<string | undefined, (value: Record<string, unknown>) => unknown>()
  // A copy of the schema may have another query or body, which is that of any route then.
  if (schema?.querystring === rules.querystring) own.set('querystring', (query) => attempted(() => readQuery(query)))
  const body = rules.body?.schema === schema?.body ? rules.body : undefined
  // The hook has checked it: a library may do so in its own time, and Fastify takes no value of what is async.
  if (body !== undefined) own.set('body', () => true)
  return {
    checks: body === undefined ? [] : [createCheck(body, compile)],
    compilers: {
      validatorCompiler: (part: { schema: unknown; httpPart?: string }) =>
        (own.get(part.httpPart) ?? (host ?? asFastify)(part as RouteSchema)) as () => boolean,
      serializerCompiler: ({ schema }: { schema: unknown }) =>
        once(() => toJson({ schema: toResponseSchema(schema as JsonSchema) }) as Serialize)
    }
  }
}

// Fastify asks for a serializer of each route, of which services use few.
function once(create: () => Serialize): Serialize {
  let serialize: Serialize | undefined
  return (data) => {
    serialize ??= create()
    return serialize(data)
  }
}

// Fastify takes what a validator throws for a failure of the server, and writes a status into what it returns.
function attempted(read: () => unknown): { value: unknown } | { error: unknown } {
  try {
    return { value: read() }
  } catch (error) {
    return { error: Object.defineProperty(error as Error, 'statusCode', { value: 400, writable: true }) }
  }
}

function createCheck(body: BodyRules, compile: Compile): preValidationHookHandler {
  const check = createBodyCheck(body, compile)
  const readForm = createRead(body.schema, body.schema.$defs as Record<string, JsonSchema>)
  return (request, _reply, done) => {
    const set = (body: unknown) => {
      request.body = body
      done()
    }
    const checked = check(isForm(request) ? readForm(request.body) : request.body)
    if (checked instanceof Promise) checked.then(set, done)
    else set(checked)
  }
}

const isForm = ({ headers }: FastifyRequest) =>
  /^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(String(headers['content-type']))
