import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import { openapi } from 'fastify-services/openapi'

/** What was asked of a kind of field → what is wrong with the answers, if anything is. */
export type Findings = Readonly<Record<string, readonly string[]>>

export interface Stored {
  readonly id: number
  readonly [name: string]: unknown
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly message: string
}

export const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
export const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
export const told = ({ status, body, message }: Answer) => `${status} ${message || show(body)}`

/** Sentences of Ajv and of engines, which no reader of ours should see. */
const foreign = new RegExp(
  [
    'must NOT',
    'strict mode',
    'must match (format|pattern "|a schema|exactly one|"\\w+" schema)',
    'must be (string|number|integer|object|array|boolean)(,|$)',
    'must be equal to',
    'must have required property',
    'must pass "',
    'schema is (invalid|false)',
    "can't resolve",
    'Cannot (read|set|convert)',
    'is not (a function|defined|iterable)',
    'Maximum call stack'
  ].join('|')
)

/** Whether a sentence is one of those. */
export const isForeign = (sentence: string): boolean => foreign.test(sentence)

/** What is wrong with a refusal, if anything is. */
export function refusalOf(answer: Answer, begins: RegExp): string | undefined {
  const { status, body, message } = answer
  if (status !== 400) return told(answer)
  const { name, errors = [] } = body as { name?: unknown; errors?: readonly { message?: unknown }[] }
  const sentences = [message, ...errors.map((error) => String(error.message))]
  if (name !== 'BadRequest' || sentences.some(isForeign)) return `no sentence of ours: ${message}`
  return begins.test(message) ? undefined : `does not say what is meant: ${message}`
}

// One for all documents: what takes its time is to compile the schema of OpenAPI.
const validator = new Validator()

export async function problemsOfDocument(app: FastifyInstance): Promise<string[]> {
  const document = toJson(app.swagger()) as Record<string, unknown>
  const { valid, errors } = await validator.validate(structuredClone(document))
  const text = JSON.stringify(document)
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference as string)
  const follow = (reference: string) =>
    decodeURIComponent(reference)
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, key) => Object(at)[key], document)
  return [
    ...(valid ? [] : [`no document of OpenAPI: ${show(errors)}`]),
    ...[...new Set(references)]
      .filter((reference) => !reference.startsWith('#/components/') || follow(reference) === undefined)
      .map((reference) => `${reference} leads nowhere`),
    ...[...new Set(text.match(/"(\$id|\$defs|definitions)":/g) ?? [])].map((word) => `${word} is left in it`)
  ]
}

/** The application of a resource: records in memory at `/things`. */
export async function createThings(schema: object) {
  const app = Fastify()
  const things = memory<Record<string, unknown>>({ multi: true, startId: 1 })
  await app.register(swagger, openapi({ info: { title: 'Kinds', version: '1.0.0' } }))
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.service('things', things as object, { schema: schema as object })
  await app.ready()
  const failures: string[] = []
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    data?: unknown
  ): Promise<Answer> => {
    const hasBody = data !== undefined
    const response = await app.inject({
      method,
      url: `/things${url}`,
      headers: { accept: 'application/json', ...(hasBody && { 'content-type': 'application/json' }) },
      ...(hasBody && { payload: JSON.stringify(data) })
    })
    let body: unknown
    try {
      body = response.json()
    } catch {
      body = response.body
    }
    const answer = {
      status: response.statusCode,
      body,
      message: response.statusCode < 400 ? '' : String(Object(body).message)
    }
    if (answer.status >= 500) failures.push(`${method} ${decodeURIComponent(url)} ${show(data)}: ${told(answer)}`)
    return answer
  }
  const hold = (records: readonly Stored[]) => {
    things.store = Object.fromEntries(records.map((record) => [record.id, structuredClone(record)]))
    things._uId = records.length + 1
  }
  const held = () => Object.values(things.store) as Stored[]
  return { app, send, hold, held, failures }
}

export type Things = Awaited<ReturnType<typeof createThings>>

/** Collects what is printed meanwhile. */
export async function listening<T>(run: () => Promise<T>): Promise<{ result: T; printed: string[] }> {
  const printed: string[] = []
  const names = ['log', 'info', 'warn', 'error', 'debug'] as const
  const before = names.map((name) => console[name])
  for (const name of names) console[name] = (...texts: unknown[]) => printed.push(texts.map(String).join(' '))
  try {
    return { result: await run(), printed }
  } finally {
    for (const [index, name] of names.entries()) console[name] = before[index] as () => void
  }
}
