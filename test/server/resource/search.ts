import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import { Annotations, type Described, Leaving } from './annotations.js'
import { evaluate, isObject, placeOf } from './evaluation.js'
import { createLibrarySchema, createModels, type Models } from './random-models.js'
import { createRandom, createSample, createSchema, isNewer, type Random } from './random-schemas.js'
import type { Node } from './references.js'

/** A schema with what is sent to its service, and what the service has stored. */
export interface Case {
  readonly seed: number
  /** Where it is written for a library, by which the rest is made. */
  readonly models?: Models
  readonly described: Described
  /** What is read of a record as it leaves, where that differs. */
  readonly leaving?: Described
  /** Bodies of `create`, `update` and `patch`. */
  readonly bodies: readonly (readonly [method: 'POST' | 'PUT' | 'PATCH', data: unknown])[]
  readonly stored: readonly unknown[]
}

/** What does not hold, with the smallest part of a case that shows it. */
export interface Problem {
  /** What is wrong, the same for all problems of a kind. */
  readonly kind: string
  readonly shown: Case
  readonly answer: unknown
  readonly expected: unknown
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

/** Makes a case by a seed. */
export function createCase(seed: number): Case {
  const random = createRandom(seed + 2 ** 31)
  // One of four is of a library.
  const written = seed % 8 < 2 ? describe(createModels(random), random) : { described: createSchema(seed) }
  const { described } = written
  const annotations = new Annotations(described)
  const { sample, mutate } = createSample(annotations.references, random)
  const record = () => sample(described.document)
  const settable = () => annotations.without('readOnly', record())
  const bodies: [method: 'POST' | 'PUT' | 'PATCH', data: unknown][] = []
  for (let count = 0; count < 5; count++) {
    const fitting = Array.from({ length: 3 }, settable).find((value) => annotations.refusal(value) === undefined)
    const data = fitting ?? settable()
    bodies.push([random.chance(0.8) ? 'POST' : 'PUT', data])
    bodies.push(['POST', mutate(data)])
    const names = random.some(Object.keys(Object(data)), 0.5)
    const part = Object.fromEntries(names.map((name) => [name, Object(data)[name]]))
    bodies.push(['PATCH', random.chance(0.6) ? part : mutate(part)])
  }
  bodies.push(['POST', record()], ['PATCH', record()])
  const stored = Array.from({ length: 3 }, record).flatMap((value) => [value, mutate(value), mutate(mutate(value))])
  const asJson = <T>(values: T): T => JSON.parse(JSON.stringify(values))
  return {
    seed,
    ...written,
    bodies: asJson(bodies.filter(([, data]) => isObject(data))),
    stored: asJson(stored.filter(isObject))
  }
}

/** What a library says of its schema in JSON Schema. */
function describe(models: Models, random: Random, options?: Pick<Described, 'readOnly' | 'writeOnly'>) {
  const { jsonSchema } = createLibrarySchema(models)
  const document = jsonSchema('input')
  const { properties = {} } = document as { properties?: Record<string, { type?: unknown }> }
  const some = (names: string[]) => (random.chance(0.3) ? random.some(names, 0.3) : [])
  const scalars = Object.keys(properties).filter((name) => typeof properties[name]?.type === 'string')
  const { readOnly = [], writeOnly = [] } = options ?? {
    readOnly: some(scalars),
    writeOnly: some(Object.keys(properties))
  }
  const described: Described = { document, readOnly, writeOnly }
  return { models, described, leaving: { ...described, document: jsonSchema('output') } }
}

type Judgement = { readonly reason: string } | { readonly reason?: undefined; readonly value: unknown }

/** What takes a body or says why not: the reference, or the library of the schema with what the reference says of names and flags. */
function createJudge({ models }: Case, annotations: Annotations): (method: string, data: unknown) => Judgement {
  const { validate, validatePart } = models === undefined ? {} : createLibrarySchema(models)
  const { sample } = createSample(annotations.references, createRandom(0))
  return (method, data) => {
    const library = method === 'PATCH' ? validatePart : validate
    if (library === undefined) {
      const reason = method === 'PATCH' ? annotations.refusalOfPart(data) : annotations.refusal(data)
      return reason === undefined ? { value: data } : { reason }
    }
    const reason =
      annotations.refusedPlace(data) ??
      (method === 'PATCH' && Object.keys(Object(data)).length === 0 ? 'is empty' : undefined)
    if (reason !== undefined) return { reason }
    const { issues, value } = library(annotations.filled(data, sample))
    return issues === undefined ? { value: annotations.without('readOnly', value) } : { reason: 'does not fit' }
  }
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
type Answer = { status: number; text: string }

/** One application with a service for each case. */
async function start(cases: readonly Case[]) {
  const app = Fastify()
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const all: Service[] = []
  for (const [index, found] of cases.entries()) {
    const { document, shared = [], readOnly = [], writeOnly = [] } = found.described
    for (const schema of shared) app.addSchema(schema)
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
      const written = found.models === undefined ? document : createLibrarySchema(found.models).schema
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

function ofStart({ found, isValid }: Service, problem: unknown): Problem[] {
  try {
    isValid({})
  } catch {
    return []
  }
  const message = String((problem as Error).message ?? problem)
  const isUnion = found.described.document.properties === undefined && /needs the schema of an object/.test(message)
  // Some names can't be those of fields: that is told with the name.
  if (isUnion || /^resource\(\) can't have a field '/.test(message)) return []
  const kind = `a schema does not start: ${message.replace(/'[^']*'|"[^"]*"|#\S+|\d+/g, '…').slice(0, 28)}`
  return [{ kind, shown: { ...found, bodies: [], stored: [] }, answer: message, expected: 'a start' }]
}

/** A problem without what shows it. */
type Fault = Omit<Problem, 'shown'>

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
    if (!isDeepStrictEqual(state.got, value))
      note(shown, [
        { kind: 'another record is stored than the schema makes of a body', answer: state.got, expected: value }
      ])
    note(shown, ofAnswer(service, value, answer))
  }
  for (const stored of found.stored) {
    const shown = { ...found, bodies: [], stored: [stored] }
    note(shown, ofReference(service, stored))
    counts.reads++
    counts.hidden += annotations.flagged('writeOnly', stored).length
    state.answer = stored
    for (const method of ['GET', 'DELETE'] as const) note(shown, ofAnswer(service, stored, await send(method, '/1')))
    state.answer = [stored]
    note(
      shown,
      ofAnswer(service, stored, await send('GET', ''), ([record]: [unknown]) => record)
    )
    state.answer = withOdd(stored, createRandom(found.seed))
    note(shown, ofOdd(service, stored, await send('GET', '/1')))
    state.answer = { total: 1, limit: 1, skip: 0, data: [stored] }
    note(
      shown,
      ofAnswer(service, stored, await send('GET', ''), ({ data: [record] }: { data: [unknown] }) => record)
    )
  }
  return problems
}

/** What the reference itself has wrong: what Ajv takes, and which annotations a value has that fits. */
function ofReference({ annotations, isValid, found }: Service, value: unknown): Fault[] {
  const { document } = found.described
  const evaluation = evaluate(document, value, annotations.references)
  const answer = isValid(value)
  if (evaluation.isValid !== answer)
    return [{ kind: 'the reference and Ajv disagree', answer, expected: evaluation.isValid }]
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
  if (reason === undefined && status >= 300) return [{ kind: `${name} refuses what fits`, ...told }]
  if (reason !== undefined && status < 300)
    return [{ kind: `${name} takes a body that ${reason.replace(/,.*/, '')}`, ...told }]
  return []
}

const textsIn = (value: unknown): string[] =>
  value instanceof Leaving
    ? textsIn(value.value)
    : typeof value === 'string'
      ? (value.match(/mark-\d+-/g) ?? [])
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(textsIn)
        : []

/** A record with a value in it that JSON has no type for, as drivers and programs have them. */
function withOdd(record: unknown, random: Random): unknown {
  const copy = structuredClone(record) as Record<string, unknown>
  const odd = random.pick<unknown>([undefined, Number.NaN, new Date(0), new Date(Number.NaN), Buffer.from('bytes')])
  const objects = objectsIn(copy)
  const place = random.pick(objects) as Record<string, unknown>
  const keys = Object.keys(place)
  if (keys.length > 0) place[random.pick(keys)] = odd
  return copy
}

const objectsIn = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : []

/** Such a record is answered, and without what was hidden before. */
function ofOdd({ leaving }: Service, record: unknown, { status, text }: Answer): Fault[] {
  const expected = leaving.leaving(record)
  const told = { answer: `${status} ${text}`, expected }
  if (status >= 300) return [{ kind: `a record with a value that JSON lacks is answered with ${status}`, ...told }]
  const shown = new Set(textsIn(expected))
  const isLeaked = textsIn(record).some((marker) => !shown.has(marker) && text.includes(marker))
  return isLeaked ? [{ kind: 'a field leaves that is hidden or unknown', ...told }] : []
}

/** Compares an answer with what leaves of the record. */
function ofAnswer(
  { leaving }: Service,
  record: unknown,
  { status, text }: Answer,
  read = (json: never): unknown => json
): Fault[] {
  const expected = leaving.leaving(record)
  const told = { answer: `${status} ${text}`, expected }
  if (status >= 300) return [{ kind: `what is stored is answered with ${status}`, ...told }]
  const shown = new Set(textsIn(expected))
  const leaked = textsIn(record).filter((marker) => !shown.has(marker) && text.includes(marker))
  if (leaked.length > 0) return [{ kind: 'a field leaves that is hidden or unknown', ...told }]
  const place = difference(expected, read(JSON.parse(text) as never))
  return place === undefined ? [] : [{ kind: place.kind, ...told }]
}

/** Where an answer is another one than what leaves of a record. */
function difference(expected: unknown, actual: unknown, place = ''): { kind: string; place: string } | undefined {
  if (expected instanceof Leaving)
    return isFor(expected, actual) ? undefined : { kind: 'a value leaves that does not fit, as another one', place }
  if (Array.isArray(expected) && Array.isArray(actual)) return ofLists(expected, actual, place)
  if (isObject(expected) && isObject(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
    for (const name of names) {
      const at = placeOf(place, name)
      const [is, has] = [Object.hasOwn(actual, name), Object.hasOwn(expected, name)]
      if (is && !has)
        return actual[name] === null ? undefined : { kind: 'a field leaves that is hidden or unknown', place: at }
      const isLeft = !is && expected[name] instanceof Leaving
      if (!is && !isLeft) return { kind: 'a field is lost', place: at }
      const inner = is ? difference(expected[name], actual[name], at) : undefined
      if (inner !== undefined) return inner
    }
    return undefined
  }
  return isDeepStrictEqual(expected, actual) ? undefined : { kind: 'a value is changed', place }
}

// An item that does not leave is left out, or `null` is there where the places of others would move.
function ofLists(
  expected: readonly unknown[],
  actual: readonly unknown[],
  place: string
): { kind: string; place: string } | undefined {
  const isOut = (item: unknown) => item instanceof Leaving && item.kind === 'hidden'
  const left = [expected.map((item) => (isOut(item) ? null : item)), expected.filter((item) => !isOut(item))]
  const [first = []] = left.filter((list) => list.length === actual.length)
  if (first.length !== actual.length)
    return { kind: actual.length < first.length ? 'an item is lost' : 'an item leaves that is hidden', place }
  for (const [index, item] of actual.entries()) {
    const inner = difference(first[index], item, placeOf(place, index))
    if (inner !== undefined) return inner
  }
  return undefined
}

const isFor = ({ kind, value }: Leaving, actual: unknown): boolean =>
  actual === null ||
  (kind === 'unfit' && (actual === value || String(actual) === String(value) || Number(actual) === Number(value)))

/** The smallest case that still has a problem of its kind: parts of its schema and its values are taken away, one at a time. */
export async function shrink(problem: Problem, most = 120): Promise<Problem> {
  let smallest = problem
  let tries = 0
  const counts = createCounts()
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const shown of smallerCases(smallest.shown)) {
      if (++tries > most) return smallest
      const problems = await searchCases([shown], counts).catch(() => [])
      const same = problems.find(({ kind }) => kind === problem.kind)
      if (same === undefined) continue
      smallest = same
      isSmaller = true
      break
    }
  }
  return smallest
}

export const createCounts = (): Counts => ({ cases: 0, bodies: 0, taken: 0, reads: 0, hidden: 0, refusedAtStart: 0 })

function* smallerCases(shown: Case): Generator<Case> {
  const { described, bodies, stored } = shown
  const readOnly = described.readOnly ?? []
  const writeOnly = described.writeOnly ?? []
  if (readOnly.length > 0) yield { ...shown, described: { ...described, readOnly: readOnly.slice(1) } }
  if (writeOnly.length > 0) yield { ...shown, described: { ...described, writeOnly: writeOnly.slice(1) } }
  if (shown.models !== undefined) {
    for (const models of smaller(shown.models)) {
      try {
        yield { ...shown, ...describe(models as Models, createRandom(0), described) }
      } catch {
        // It is a schema no longer.
      }
    }
  }
  for (const document of shown.models === undefined ? smaller(described.document) : [])
    yield { ...shown, described: { ...described, document: document as Node } }
  for (const shared of smaller(described.shared))
    yield { ...shown, described: { ...described, shared: shared as Node[] } }
  const [body] = bodies
  if (body !== undefined) for (const data of smaller(body[1])) yield { ...shown, bodies: [[body[0], data]] }
  if (stored.length > 0) for (const record of smaller(stored[0])) yield { ...shown, stored: [record] }
}

/** A value with one part less, or with a smaller one; the largest parts first. */
function* smaller(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1)
    for (const [index, item] of value.entries()) for (const other of smaller(item)) yield value.with(index, other)
  } else if (isObject(value)) {
    for (const name of Object.keys(value))
      yield Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
    for (const [name, item] of Object.entries(value))
      for (const other of smaller(item)) yield { ...value, [name]: other }
  }
}
