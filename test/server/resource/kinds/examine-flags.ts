import { isDeepStrictEqual } from 'node:util'
import { resource } from 'fastify-services'
import type { Flagged } from './flagged.js'
import { type Library, toRecord } from './kind.js'
import {
  createThings,
  type Findings,
  listening,
  problemsOfDocument,
  refusalOf,
  show,
  type Things,
  toJson,
  told
} from './things.js'

type Marker = 'SET' | 'HIDDEN'
type Path = readonly (string | number)[]

/** Whether a value is one of those fields: also a list or an object of nothing else. */
const isMarked = (value: unknown, marker: Marker): boolean =>
  value === marker ||
  (typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length > 0 &&
    Object.values(value).every((part) => isMarked(part, marker)))

/** A value without those fields. */
function without(value: unknown, marker: Marker): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, marker))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, part]) => !isMarked(part, marker))
  return Object.fromEntries(fields.map(([name, part]) => [name, without(part, marker)]))
}

/** Where those fields are. */
function placesOf(value: unknown, marker: Marker, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => {
    const place = [...path, Array.isArray(value) ? Number(name) : name]
    return isMarked(part, marker) ? [place] : placesOf(part, marker, place)
  })
}

const at = (value: unknown, path: Path): unknown => path.reduce((part, key) => Object(part)[key], value)

/** A body with one of the fields that only the server sets. */
function withSet(body: object, record: object, path: Path): object {
  const copy = structuredClone(body)
  const holder = at(copy, path.slice(0, -1)) as Record<string | number, unknown>
  holder[path.at(-1) as string] = at(record, path)
  return copy
}

/** Asks all of a flagged kind of record, in one library. */
export async function examineFlagged(library: Library, row: Flagged): Promise<Findings> {
  const { readOnly = [], writeOnly = [], refused } = row
  const words = refused?.[library]
  let things: Things | undefined
  const { result, printed } = await listening(async () => {
    try {
      const schema = resource(
        toRecord(library, row) as object,
        { readOnly: ['id', ...readOnly], writeOnly: [...writeOnly] } as object
      )
      things = await createThings(schema)
    } catch (error) {
      const { message } = error as Error
      return words === undefined ? { start: [message] } : { refused: words.test(message) ? [] : [message] }
    }
    if (words !== undefined) return { refused: ['it starts'] }
    const asked = await ask(row, things)
    return { start: [], ...asked, 'no failure of the server': things.failures.slice(0, 5) }
  })
  await things?.app.close()
  return { ...result, 'prints nothing': printed.slice(0, 3) }
}

async function ask({ records, invalid = [], unasked = [] }: Flagged, { app, send, hold, held }: Things) {
  const findings: Record<string, string[]> = {}
  const note = (what: string, problem: string | undefined) => {
    findings[what] ??= []
    if (problem !== undefined) findings[what]?.push(problem)
  }
  const isSent = (
    what: string,
    answer: { status: number; body: unknown; message: string },
    status: number,
    body: unknown
  ) => {
    const isRight = answer.status === status && isDeepStrictEqual(answer.body, toJson(body))
    note(what, isRight ? undefined : `${told(answer)} in place of ${show(body)}`)
    note(
      'nothing hidden leaves',
      JSON.stringify(answer.body).includes('HIDDEN') ? `${what}: ${told(answer)}` : undefined
    )
  }
  const isHeld = (what: string, record: unknown) =>
    note(
      what,
      isDeepStrictEqual(held()[0], record) ? undefined : `${show(held()[0])} is stored in place of ${show(record)}`
    )
  for (const record of records) {
    const body = without(record, 'SET') as Record<string, unknown>
    const shown = without(record, 'HIDDEN') as Record<string, unknown>
    const answer = without(body, 'HIDDEN') as Record<string, unknown>
    hold([])
    isSent('create', await send('POST', '', body), 201, { ...answer, id: 1 })
    isHeld('create', { ...body, id: 1 })
    hold([])
    isSent('batch', await send('POST', '', [body, body]), 201, [
      { ...answer, id: 1 },
      { ...answer, id: 2 }
    ])
    hold([{ id: 1 }])
    isSent('update', await send('PUT', '/1', body), 200, { ...answer, id: 1 })
    isHeld('update', { ...body, id: 1 })
    hold([{ ...record, id: 1 }])
    if (Object.keys(body).length > 0) {
      isSent('patch', await send('PATCH', '/1', body), 200, { ...shown, ...answer, id: 1 })
      isHeld('patch', { ...record, ...body, id: 1 })
    }
    hold([{ ...record, id: 1 }])
    isSent('get', await send('GET', '/1'), 200, { ...shown, id: 1 })
    isSent('find', await send('GET', ''), 200, [{ ...shown, id: 1 }])
    isSent('$select', await send('GET', '/1?$select=id'), 200, { id: 1 })
    isSent('remove', await send('DELETE', '/1'), 200, { ...shown, id: 1 })
    for (const path of placesOf(record, 'SET')) {
      const more = withSet(body, record, path)
      const refuse = async (what: string, method: 'POST' | 'PUT' | 'PATCH', url: string, data: unknown) => {
        hold(method === 'POST' ? [] : [{ id: 1 }])
        const refused = await send(method, url, data)
        const problem = refusalOf(refused, /can not be set/)
        note(what, problem && `${path.join('.')}: ${problem}`)
        note(what, JSON.stringify(held()).includes('SET') ? `${path.join('.')}: it is stored` : undefined)
      }
      await refuse('create can not set it', 'POST', '', more)
      await refuse('batch can not set it', 'POST', '', [body, more])
      await refuse('update can not set it', 'PUT', '/1', more)
      await refuse('patch can not set it', 'PATCH', '/1', more)
    }
  }
  for (const body of invalid) {
    hold([])
    const problem = refusalOf(await send('POST', '', body), /./)
    note('the other rules', problem && `${show(body)}: ${problem}`)
  }
  for (const name of unasked)
    for (const query of [`${name}=HIDDEN`, `${name}[$ne]=x`, `$sort[${name}]=1`, `$select=${name}`]) {
      hold(records.map((record, index) => ({ ...record, id: index + 1 })))
      const problem = refusalOf(await send('GET', `?${encodeURI(query)}`), /is not known|must name fields/)
      note('no query names it', problem && `${query}: ${problem}`)
    }
  findings.document = await problemsOfDocument(app)
  return findings
}
