import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import services, { type QueryParser, type ServiceOptions } from 'fastify-services'
import type { Test } from 'tap'

/** What a service got, or what it answers: told as `[status, …]`. */
export type Told = readonly unknown[]

const isTyped = (value: unknown) => value instanceof File

/** A value as JSON, where a file is what it is called, its type and its size. */
export function plain(value: unknown): unknown {
  if (isTyped(value)) return `File ${(value as File).name} ${(value as File).type} ${(value as File).size}`
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]))
}

interface Problem {
  readonly instancePath: string
  readonly keyword: string
  readonly message: string
}

/** Whether a message is the place of a problem, written for people, and what is wrong: then both are told by it. */
function saysPlace(message: string, { instancePath, message: problem }: Problem): boolean {
  const toLetters = (text: string) => text.replace(/\W/g, '')
  return toLetters(message) === toLetters(instancePath) + toLetters(problem)
}

/**
 * Rows of what was sent and what came of it, where refusals are told once: what is wrong, and all that is refused so.
 * @param isRefused whether an answer is a refusal
 */
export function grouped(
  answers: Readonly<Record<string, unknown>>,
  isRefused: (answer: unknown) => boolean
): Record<string, unknown> {
  const taken = Object.entries(answers).filter(([, answer]) => !isRefused(answer))
  const refusals = new Map<string, string[]>()
  for (const [sent, answer] of Object.entries(answers)) {
    if (!isRefused(answer)) continue
    const problem = [answer].flat().join(' | ')
    refusals.set(problem, [...(refusals.get(problem) ?? []), sent])
  }
  return { ...Object.fromEntries(taken), ...(refusals.size > 0 && { refused: Object.fromEntries(refusals) }) }
}

const shorten = (text: string) => text.replace(/(.)\1{30,}/g, (run, letter) => `${letter}×${run.length}`)

interface Options {
  readonly query?: QueryParser
  /** What the services answer; what they get where there is none. */
  readonly answer?: unknown
}

/** Services by name, each of a resource, and what asks them. */
export async function createAsk(t: Test, schemas: Readonly<Record<string, unknown>>, options: Options = {}) {
  const app: FastifyInstance = Fastify()
  t.teardown(() => app.close())
  await app.register(multipart)
  await app.register(services, {
    errorHandler: { html: false, logger: false },
    ...(options.query !== undefined && { query: options.query })
  })
  let got: unknown[] = []
  const keep = async (...args: unknown[]) => {
    got = args
    return options.answer ?? null
  }
  const service = {
    options: { multi: true },
    find: keep,
    get: keep,
    create: keep,
    update: keep,
    patch: keep,
    remove: keep
  }
  for (const [name, schema] of Object.entries(schemas))
    app.service(name, service as object, { schema: schema as NonNullable<ServiceOptions['schema']> })
  return async (request: InjectOptions & { url: string }): Promise<Told> => {
    got = []
    const { statusCode, body } = await app.inject(request)
    if (statusCode < 300)
      return [statusCode, ...got.slice(0, -1).map(plain), plain((got.at(-1) as { query: object }).query)]
    const { message, errors = [] } = JSON.parse(body)
    const list = (errors as Problem[]).map(
      (error) => `${error.instancePath} ${error.keyword}${message.endsWith(error.message) ? '' : `: ${error.message}`}`
    )
    if (list.length === 1 && errors[0].instancePath !== '' && saysPlace(message, errors[0]))
      return [statusCode, shorten(`${message} (${errors[0].keyword})`)]
    return [statusCode, shorten(message), ...list.map(shorten)]
  }
}
