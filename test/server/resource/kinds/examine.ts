import { isDeepStrictEqual } from 'node:util'
import { resource } from 'fastify-services'
import { type Judge, judgeOf, type Kind, type Library, toRecord } from './kind.js'
import { problemsOfQueries } from './queries.js'
import {
  type Answer,
  createThings,
  type Findings,
  isForeign,
  listening,
  problemsOfDocument,
  refusalOf,
  show,
  type Things,
  toJson,
  told
} from './things.js'

type Body = Record<string, unknown>

/** A body, and what must come of it. */
interface Case {
  readonly body: Body
  /** What the library makes of it; `undefined` where it refuses it. */
  readonly outcome: Body | undefined
  /** Whether a patch, or any method, may decide otherwise than the library. */
  readonly doubt: 'none' | 'patch' | 'any'
  readonly origin: 'valid' | 'invalid' | 'either' | 'unknown' | 'surprise'
}

// What any field might be sent, whatever its kind.
const surprises = [null, true, '', 'x', [], ['x'], {}]

/** Asks all of a kind of field, in one library. */
export async function examine(library: Library, kind: Kind): Promise<Findings> {
  const words = kind.refused?.[library]
  let things: Things | undefined
  const { result, printed } = await listening(async () => {
    let judge: Judge
    try {
      const record = toRecord(library, kind)
      judge = judgeOf(library, record)
      things = await createThings(resource(record as object, { readOnly: ['id'] } as object))
    } catch (error) {
      const { message } = error as Error
      if (words === undefined) return { start: kind.mayBeRefused?.test(message) ? [] : [message] }
      return { 'is refused at the start': words.test(message) && !isForeign(message) ? [] : [message] }
    }
    if (words !== undefined) return { 'is refused at the start': ['it starts'] }
    const cases = casesOf(library, kind, judge)
    return {
      start: [],
      'the table is right': cases.flatMap(({ body, outcome, origin }) =>
        (origin === 'valid' && outcome === undefined) || (origin === 'invalid' && outcome !== undefined)
          ? [`${show(body)} is ${outcome === undefined ? 'refused' : 'taken'} by ${library}`]
          : []
      ),
      ...(await problemsOfBodies(kind, cases, things)),
      batch: await problemsOfBatches(kind, cases, things),
      ...(!kind.whole && { 'without it': await problemsWithoutIt(kind, judge, things) }),
      'whatever is stored can be sent': await problemsOfStored(cases, things),
      ...(await problemsOfQueries(
        kind,
        // What the libraries disagree about may be no value to a query.
        cases.flatMap(({ outcome, origin, doubt }) =>
          outcome === undefined || origin === 'either' || doubt === 'any' ? [] : [outcome]
        ),
        cases.filter(({ outcome }) => outcome === undefined).map(({ body }) => body),
        things
      )),
      document: await problemsOfDocument(things.app),
      'no failure of the server': things.failures.slice(0, 5)
    }
  })
  await things?.app.close()
  return { ...result, 'prints nothing': printed.slice(0, 3) }
}

function casesOf(library: Library, kind: Kind, judge: Judge): Case[] {
  const { valid = [], invalid = [], either = [], unknown = [], whole, accepts } = kind
  const isBeyond = kind.beyond?.includes(library) ?? false
  const takesObjects = valid.length > 0 && valid.every((value) => typeof value === 'object' && !Array.isArray(value))
  const create = (value: unknown, origin: Case['origin']): Case => {
    const body = toJson(whole ? value : { f: value }) as Body
    const taken = accepts === undefined ? judge({ id: 1, ...body }) : accepts(value) ? body : undefined
    const outcome = origin === 'unknown' ? undefined : (taken as Body | undefined)
    return { body, outcome, doubt: doubtOf(value, origin, outcome !== undefined), origin }
  }
  const doubtOf = (value: unknown, origin: Case['origin'], isTaken: boolean): Case['doubt'] => {
    if (origin === 'unknown' || (origin === 'valid' && isTaken)) return 'none'
    // A format is read otherwise by each validator of JSON Schema, and TypeBox's is one of them.
    if (origin === 'either' && library === 'typebox') return 'any'
    // To some libraries a list is an object.
    if (isTaken && takesObjects && Array.isArray(value)) return 'any'
    // A part of a record may lack what a whole one must have, or be judged by JSON Schema alone.
    return origin === 'either' || isBeyond || (whole && !isTaken) ? 'patch' : 'none'
  }
  return [
    ...valid.map((value) => create(value, 'valid')),
    ...invalid.map((value) => create(value, 'invalid')),
    ...either.map((value) => create(value, 'either')),
    ...unknown.map((value) => create(value, 'unknown')),
    ...(whole ? [] : surprises.map((value) => create(value, 'surprise')))
  ]
}

/** What is wrong with an answer to a case, if anything is. */
function problemOf(
  { outcome, doubt }: Case,
  { untyped, whole }: Kind,
  answer: Answer,
  { status, records, isPart = false }: { status: number; records: readonly object[]; isPart?: boolean }
): string | undefined {
  const mayDiffer = doubt === 'any' || (doubt === 'patch' && isPart)
  const mayBeRefused = outcome === undefined ? !(mayDiffer && answer.status < 300) : mayDiffer && answer.status === 400
  if (mayBeRefused) return refusalOf(answer, whole ? /^/ : /^f([ .:[]|$)/)
  if (outcome === undefined) return undefined
  if (answer.status !== status) return told(answer)
  const fits = untyped || records.some((record) => isDeepStrictEqual(answer.body, toJson(record)))
  return fits ? undefined : `${show(answer.body)} came back`
}

/** Sends each body to `create`, `update` and `patch`, and asks for what was stored. */
async function problemsOfBodies(kind: Kind, cases: readonly Case[], { send, hold }: Things) {
  const findings: Record<string, string[]> = { create: [], get: [], update: [], patch: [] }
  const seed = cases.find(({ outcome }) => outcome !== undefined)?.outcome ?? {}
  for (const item of cases) {
    const { body, outcome, origin } = item
    const note = (what: string, problem: string | undefined) => {
      if (problem !== undefined) findings[what]?.push(`${show(kind.whole ? body : body.f)}: ${problem}`)
    }
    hold([])
    const created = await send('POST', '', body)
    note('create', problemOf(item, kind, created, { status: 201, records: [{ ...outcome, id: 1 }] }))
    if (created.status === 201) {
      const again = await send('GET', '/1')
      const isSame = isDeepStrictEqual(again.body, created.body)
      note('get', isSame ? undefined : `${told(again)} in place of ${show(created.body)}`)
    }
    if (origin !== 'surprise') {
      hold([{ id: 1 }])
      const updated = await send('PUT', '/1', body)
      note('update', problemOf(item, kind, updated, { status: 200, records: [{ ...outcome, id: 1 }] }))
    }
    hold([{ ...seed, id: 1 }])
    const patched = await send('PATCH', '/1', body)
    // What a library makes of a value may be made of a whole record alone.
    const records = [
      { ...seed, ...body, id: 1 },
      { ...seed, ...outcome, id: 1 }
    ]
    if (Object.keys(body).length === 0) note('patch', refusalOf(patched, /^/))
    else note('patch', problemOf(item, kind, patched, { status: 200, records, isPart: true }))
  }
  return findings
}

/** Sends lists: one of all that is taken, and some with one record that is not. */
async function problemsOfBatches(
  { untyped, whole }: Kind,
  cases: readonly Case[],
  { send, hold, held }: Things
): Promise<string[]> {
  const problems: string[] = []
  const sure = cases.filter(({ doubt }) => doubt !== 'any')
  const taken = sure.filter(({ outcome }) => outcome !== undefined)
  hold([])
  if (taken.length > 0) {
    const bodies = taken.map(({ body }) => body)
    const answer = await send('POST', '', bodies)
    const expected = toJson(taken.map(({ outcome }, index) => ({ ...outcome, id: index + 1 })))
    if (answer.status !== 201) problems.push(told(answer))
    else if (!untyped && !isDeepStrictEqual(answer.body, expected)) problems.push(`${show(answer.body)} came back`)
    else {
      const list = await send('GET', '')
      if (!isDeepStrictEqual(list.body, answer.body)) problems.push(`find: ${told(list)}`)
    }
  }
  const [first] = taken
  for (const { body } of sure.filter(({ outcome }) => outcome === undefined).slice(0, 3)) {
    hold([])
    const answer = await send('POST', '', [first?.body ?? body, body])
    const problem = refusalOf(answer, whole || first === undefined ? /^/ : /^\[1\]\.f([ .:[]|$)/)
    if (problem !== undefined) problems.push(`${show(body)}: ${problem}`)
    if (held().length > 0) problems.push(`${show(body)}: a part of it was stored`)
  }
  return problems
}

/** Sends a record that lacks the field, and asks for one that was stored without it. */
async function problemsWithoutIt(kind: Kind, judge: Judge, { send, hold }: Things): Promise<string[]> {
  const outcome = judge({ id: 1 }) as Body | undefined
  const item: Case = { body: {}, outcome, doubt: 'none', origin: 'surprise' }
  const records = [{ ...outcome, id: 1 }]
  hold([])
  const problems = [problemOf(item, kind, await send('POST', '', {}), { status: 201, records })]
  hold([{ id: 1 }])
  problems.push(problemOf(item, kind, await send('PUT', '/1', {}), { status: 200, records }))
  hold([{ id: 1 }])
  problems.push(refusalOf(await send('PATCH', '/1', {}), /^/))
  const list = await send('GET', '')
  problems.push(isDeepStrictEqual(list.body, [{ id: 1 }]) ? undefined : `find: ${told(list)}`)
  return problems.filter((problem) => problem !== undefined)
}

/** Rows of a database are older than a schema, or written past it. */
async function problemsOfStored(cases: readonly Case[], { send, hold }: Things): Promise<string[]> {
  hold(cases.map(({ body }, index) => ({ ...body, id: index + 1 })))
  const list = await send('GET', '')
  if (list.status === 200) return []
  const problems = [`find: ${told(list)}`]
  for (const [index, { body }] of cases.entries()) {
    const answer = await send('GET', `/${index + 1}`)
    if (answer.status !== 200) problems.push(`${show(body)}: ${told(answer)}`)
  }
  return problems
}
