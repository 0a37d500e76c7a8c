import { isDeepStrictEqual } from 'node:util'
import type { Kind } from './kind.js'
import { type Answer, refusalOf, type Stored, show, type Things, toJson, told } from './things.js'

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
// What a codec of zod refuses comes with zod's own words.
const saysWhat = /^(f|\$sort|\$select)\b.*( (must|is not known|is not valid|can not)|: Invalid)/

/** Asks for records by the field: by its values, which find what they are of, and by others, which find nothing or are refused. */
export async function problemsOfQueries(
  { query, whole, untyped }: Kind,
  outcomes: readonly Record<string, unknown>[],
  refused: readonly Record<string, unknown>[],
  { send, hold }: Things
): Promise<Record<string, string[]>> {
  const records = outcomes.map((outcome, index) => ({ ...outcome, id: index + 1 }))
  const findings: Record<string, string[]> = {
    'find by it': [],
    'find by $in': [],
    'find by $ne': [],
    '$sort by it': [],
    '$select it': []
  }
  const note = (what: string, url: string, problem: string | undefined) => {
    if (problem !== undefined) findings[what]?.push(`${url.slice(0, 80)}: ${problem}`)
  }
  const valuesOf = ({ f }: Record<string, unknown>): unknown[] => (query === 'item' && Array.isArray(f) ? f : [f])
  const values = [...new Set(records.flatMap(valuesOf).filter(isScalar))]
  const isEmptyRefused = refused.some(({ f }) => f === '')
  const must = query === 'value' || query === 'item'
  const idsOf = (answer: Answer) => (answer.body as Stored[]).map(({ id }) => id)
  const check = async (what: string, url: string, isMeant?: (record: Record<string, unknown>) => boolean) => {
    hold(records)
    const answer = await send('GET', url)
    const isRefused = answer.status === 400 ? refusalOf(answer, saysWhat) : undefined
    if (query === 'none') return note(what, url, answer.status === 400 ? isRefused : told(answer))
    if (answer.status !== 200) return note(what, url, must || answer.status !== 400 ? told(answer) : isRefused)
    if (!must || isMeant === undefined) return
    const expected = records.filter(isMeant).map(({ id }) => id)
    if (!isDeepStrictEqual(idsOf(answer).sort(), expected.sort()))
      note(what, url, `found ${show(idsOf(answer))} in place of ${show(expected)}`)
  }
  const encode = (value: unknown) => encodeURIComponent(String(value))
  for (const value of values) {
    await check('find by it', `?f=${encode(value)}`, (record) => valuesOf(record).includes(value))
    await check('find by $ne', `?f[$ne]=${encode(value)}`, (record) => !valuesOf(record).includes(value))
  }
  // Clients of Feathers send `null` as the empty text: it is no other value where the library refuses that.
  if (must && isEmptyRefused && records.some((record) => valuesOf(record).includes(null))) {
    const hasNull = (record: Record<string, unknown>) => valuesOf(record).includes(null)
    await check('find by it', '?f=', hasNull)
    await check('find by $ne', '?f[$ne]=', (record) => !hasNull(record))
    await check('find by $in', '?f[$in][]=', hasNull)
    await check('find by $in', '?f[$nin][]=', (record) => !hasNull(record))
  }
  const some = values.slice(0, 15)
  if (some.length > 0)
    await check('find by $in', `?${some.map((value) => `f[$in][]=${encode(value)}`).join('&')}`, (record) =>
      valuesOf(record).some((value) => some.includes(value as string))
    )
  if (query === 'none')
    for (const [what, operator] of [
      ['find by it', ''],
      ['find by $in', '[$in]'],
      ['find by $ne', '[$ne]']
    ] as const)
      await check(what, `?f${operator}=x`)
  for (const direction of [1, -1]) {
    hold(records)
    const answer = await send('GET', `?$sort[f]=${direction}`)
    const problem =
      answer.status === 400 ? refusalOf(answer, saysWhat) : answer.status === 200 ? undefined : told(answer)
    const isWrong = query === 'value' ? answer.status !== 200 : query === 'none' && answer.status !== 400
    note('$sort by it', `$sort[f]=${direction}`, isWrong ? told(answer) : problem)
  }
  // What is no value of the field: it is refused, or finds nothing.
  const odd = ['', 'null', '[', ...refused.map(({ f }) => f).filter(isScalar)].slice(0, 5)
  for (const [index, text] of odd.entries()) {
    const operator = ['', '[$gt]', '[$nin]', ''][index % 4]
    hold(records)
    const answer = await send('GET', `?f${operator}=${encode(text)}`)
    if (answer.status !== 200) note('find by it', `?f${operator}=${text}`, refusalOf(answer, saysWhat))
  }
  if (!whole || query === 'value') {
    hold(records)
    const answer = await send('GET', '?$select=f')
    const expected = toJson(records.map(({ f, id }: Record<string, unknown>) => ({ f, id })))
    if (answer.status !== 200 || (!untyped && !isDeepStrictEqual(answer.body, expected)))
      note('$select it', '?$select=f', told(answer))
  }
  return findings
}
