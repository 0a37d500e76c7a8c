import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import { Annotations, type Described } from './annotations.js'
import { type Answer, type Fault, ofAnswer, ofOdd, withOdd } from './answers.js'
import { type Case, createJudge } from './cases.js'
import { evaluate } from './evaluation.js'
import { createLibrarySchema } from './random-models.js'
import { createRandom, isNewer } from './random-schemas.js'

/** What does not hold, with the smallest part of a case that shows it. */
export interface Problem extends Fault {
  readonly shown: Case
}

/** How much a search has seen. */
export interface Counts {
  cases: number
  bodies: number
  taken: number
  reads: number
  hidden: number
  refusedAtStart: number
}

interface Service {
  readonly found: Case
  readonly judge: ReturnType<typeof createJudge>
  readonly leaving: Annotations
  readonly annotations: Annotations
  readonly path: string
  readonly state: { answer: unknown; got: unknown }
  readonly isValid: (value: unknown) => boolean
  readonly problem?: unknown
}

type App = Awaited<ReturnType<typeof start>>['app']

/** One application with a service for each case. */
async function start(cases: readonly Case[]) {
  const app = Fastify()
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const all: Service[] = []
  for (const [index, found] of cases.entries()) {
    const { document, shared = [], readOnly = [], writeOnly = [] } = found.described
    const state: Service['state'] = { answer: undefined, got: undefined }
    const set = async (...args: unknown[]) => {
      state.got = args.at(-2)
      return state.got
    }
    const path = `/s${index}`
    const stored = async () => state.answer
    const methods = { find: stored, get: stored, remove: stored, create: set, update: set, patch: set }
    const annotations = new Annotations(found.described)
    const service = {
      found,
      annotations,
      judge: createJudge(found, annotations),
      leaving: new Annotations(found.leaving ?? found.described),
      path,
      state,
      isValid: createAjv(found.described)
    }
    try {
      const ofShared = shared.map((schema, index) => [`shared-${index}`, schema] as const)
      const $defs = { ...Object(document.$defs), ...Object.fromEntries(ofShared) }
      const whole = shared.length === 0 ? document : { ...document, $defs }
      const written = found.models === undefined ? whole : createLibrarySchema(found.models).schema
      const schema = resource(written, { readOnly, writeOnly } as object)
      app.service(path, methods as object, { schema: schema as object })
      all.push(service)
    } catch (problem) {
      all.push({ ...service, problem })
    }
  }
  try {
    await app.ready()
  } catch (problem) {
    await app.close()
    return { app, services: all, problem }
  }
  return { app, services: all }
}

// That of Fastify.
const require = createRequire(createRequire(import.meta.url).resolve('@fastify/ajv-compiler'))
type Ajv = { addSchema(schema: object): void; compile(schema: object): (value: unknown) => boolean }

/** Ajv as it is, for what a schema says without flags. */
function createAjv({ document, shared = [] }: Described): (value: unknown) => boolean {
  const text = JSON.stringify([document, shared])
  const version = text.includes('"prefixItems"')
    ? '/dist/2020.js'
    : /"unevaluated|"dependent/.test(text)
      ? '/dist/2019.js'
      : ''
  const { default: Class } = require(`ajv${version}`) as { default: new (options: object) => Ajv }
  const ajv = new Class({
    strict: false,
    logger: false,
    validateSchema: false,
    multipleOfPrecision: 9,
    formats: { 'no-such-format': true },
    // What each object inherits is no field of it.
    ownProperties: true
  })
  ;(require('ajv-formats') as (ajv: Ajv) => void)(ajv)
  for (const schema of shared) ajv.addSchema(schema)
  let validate: ReturnType<Ajv['compile']> | undefined
  return (value) => {
    validate ??= ajv.compile(document)
    return validate(value)
  }
}

/** All that does not hold for some cases. */
export async function searchCases(cases: readonly Case[], counts: Counts): Promise<Problem[]> {
  // What a case shows is shown by it alone: shared schemas of another version of JSON Schema are not beside it.
  const isOfNewer = ({ seed, models }: Case) => isNewer(seed) && models === undefined
  const newer = cases.filter(isOfNewer)
  if (newer.length > 0 && newer.length < cases.length) {
    const older = cases.filter((found) => !isOfNewer(found))
    return [...(await searchCases(newer, counts)), ...(await searchCases(older, counts))]
  }
  const { app, services, problem } = await start(cases)
  if (problem !== undefined && cases.length > 1) {
    const single: Problem[] = []
    for (const found of cases) single.push(...(await searchCases([found], counts)))
    return single
  }
  const problems: Problem[] = []
  for (const service of services) {
    counts.cases++
    const refused = problem ?? service.problem
    if (refused !== undefined) {
      counts.refusedAtStart++
      problems.push(...ofStart(service, refused))
      continue
    }
    for (const problem of await searchService(app, service, counts)) problems.push(problem)
  }
  await app.close()
  return problems
}

/** What the start refuses, each with what a schema has then. */
const refusals: readonly (readonly [message: RegExp, schema: RegExp])[] = [
  [/: a field is `readOnly` or `writeOnly` under a condition/, /"(if|dependencies|dependentSchemas|not|contains)":/],
  [/: there is `unevaluatedProperties` or `unevaluatedItems`/, /"unevaluated(Properties|Items)":/],
  [/: a field of a definition is `readOnly` or `writeOnly`/, /"(\$ref|anyOf|oneOf|patternProperties)":/],
  [/: it contains itself by one field in several branches/, /"\$ref":/],
  [/: only the server sets the field by which a branch/, /"(anyOf|oneOf)":/]
]

function ofStart({ found, isValid, annotations }: Service, problem: unknown): Problem[] {
  try {
    isValid({})
  } catch {
    return []
  }
  const { document } = found.described
  const message = String((problem as Error).message ?? problem)
  const text = JSON.stringify(found.described)
  if (refusals.some(([refused, schema]) => refused.test(message) && schema.test(text))) return []
  const isNoObject = document.properties === undefined || !annotations.mayBeObject
  const isUnion = isNoObject && /needs the schema of an object/.test(message)
  // Some names can't be those of fields: that is told with the name.
  if (isUnion || /^resource\(\) can't have a field '/.test(message)) return []
  const kind = `a schema does not start: ${message.replace(/'[^']*'|"[^"]*"|#\S+|\d+/g, '…').slice(0, 28)}`
  return [{ kind, shown: { ...found, bodies: [], stored: [] }, answer: message, expected: 'a start' }]
}

async function searchService(app: App, service: Service, counts: Counts): Promise<Problem[]> {
  const { found, annotations, path, state } = service
  const problems: Problem[] = []
  const note = (shown: Case, faults: readonly Fault[]) => problems.push(...faults.map((fault) => ({ ...fault, shown })))
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    data?: unknown
  ): Promise<Answer> => {
    const payload =
      data === undefined ? {} : { payload: JSON.stringify(data), headers: { 'content-type': 'application/json' } }
    const { statusCode: status, body: text } = await app.inject({ method, url: path + url, ...payload })
    return { status, text }
  }
  for (const body of found.bodies) {
    const [method, data] = body
    const shown = { ...found, bodies: [body], stored: [] }
    note(shown, ofReference(service, data))
    counts.bodies++
    const judgement = service.judge(method, data)
    const answer = await send(method, method === 'POST' ? '' : '/1', data)
    note(shown, ofBody(method, judgement.reason, answer))
    if (answer.status >= 300 || judgement.reason !== undefined) continue
    const { value } = judgement
    counts.taken++
    // A library may make another value of a part than of each of its fields.
    const isPart = method === 'PATCH'
    if (!isPart && !isDeepStrictEqual(state.got, value))
      note(shown, [
        { kind: 'another record is stored than the schema makes of a body', answer: state.got, expected: value }
      ])
    note(shown, ofAnswer(service.leaving, isPart ? state.got : value, answer))
  }
  for (const stored of found.stored) {
    const shown = { ...found, bodies: [], stored: [stored] }
    note(shown, ofReference(service, stored))
    counts.reads++
    counts.hidden += annotations.flagged('writeOnly', stored).length
    state.answer = stored
    for (const method of ['GET', 'DELETE'] as const)
      note(shown, ofAnswer(service.leaving, stored, await send(method, '/1')))
    state.answer = [stored]
    note(
      shown,
      ofAnswer(service.leaving, stored, await send('GET', ''), ([record]: [unknown]) => record)
    )
    state.answer = withOdd(stored, createRandom(found.seed))
    note(shown, ofOdd(service.leaving, stored, await send('GET', '/1')))
    state.answer = { total: 1, limit: 1, skip: 0, data: [stored] }
    note(
      shown,
      ofAnswer(service.leaving, stored, await send('GET', ''), ({ data: [record] }: { data: [unknown] }) => record)
    )
  }
  return problems
}

/** Whether Ajv as it is may take what does not fit: it forgets what it has seen of a value where a condition does not hold. */
const isForgetful = ({ found }: Service) => /"unevaluated/.test(JSON.stringify(found.described))

/** What the reference itself has wrong: what Ajv takes, and which annotations a value has that fits. */
function ofReference(service: Service, value: unknown): Fault[] {
  const { annotations, isValid, found } = service
  const { document } = found.described
  const evaluation = evaluate(document, value, annotations.references)
  // Where Ajv forgets what it has seen, it may also throw.
  if (!isForgetful(service) && evaluation.isValid !== isValid(value))
    return [{ kind: 'the reference and Ajv disagree', answer: !evaluation.isValid, expected: evaluation.isValid }]
  const missing = (['readOnly', 'writeOnly'] as const).flatMap((flag) => {
    const places = annotations.flagged(flag, value)
    return evaluation.applied.filter(([place, part]) => place !== '' && part[flag] === true && !places.includes(place))
  })
  return missing.length === 0 ? [] : [{ kind: 'the reference lacks an annotation', answer: missing, expected: [] }]
}

function ofBody(method: string, reason: string | undefined, { status, text }: Answer): Fault[] {
  const name = { POST: 'create', PUT: 'update' }[method] ?? 'patch'
  const told = { answer: `${status} ${text}`, expected: reason ?? 'it is taken' }
  if (status >= 500) return [{ kind: `${name} answers ${status}`, ...told }]
  // Valibot and ArkType take a list for an object, which can't be sent as one.
  const isListForObject = status === 400 && text.includes('must be an object')
  if (reason === undefined && status >= 300 && !isListForObject) return [{ kind: `${name} refuses what fits`, ...told }]
  if (reason !== undefined && status < 300)
    return [{ kind: `${name} takes a body that ${reason.replace(/,.*/, '')}`, ...told }]
  return []
}

export const createCounts = (): Counts => ({ cases: 0, bodies: 0, taken: 0, reads: 0, hidden: 0, refusedAtStart: 0 })
