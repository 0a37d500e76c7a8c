import { resolveToJson } from '../../schema/to-json.js'

/** The records of a result: those of a list or a page, or itself. `undefined` for what has none that could be read: a stream, a text, bytes. */
export function recordsIn(result: unknown): readonly unknown[] | undefined {
  if (!isRecord(result)) return undefined
  const json = resolveToJson(result)
  if (Array.isArray(json)) return json
  const records = isRecord(json) ? recordsOfPage(json) : undefined
  return records ?? [result]
}

/** A result in which each record is replaced; of a page, nothing else stays but its numbers. */
export function mapRecords(result: unknown, change: (record: unknown) => unknown, mayBePage: boolean): unknown {
  const json = resolveToJson(result)
  if (Array.isArray(json)) return json.map(change)
  if (json === null || json === undefined) return json
  const records = mayBePage && isRecord(json) ? recordsOfPage(json) : undefined
  if (records === undefined) return change(json)
  const { total, limit, skip } = json as Page
  return { total, limit, skip, data: records.map(change) }
}

interface Page {
  readonly total?: unknown
  readonly limit?: unknown
  readonly skip?: unknown
  readonly data?: unknown
}

/** The records of a page of `find`: an object with a list, and a number that says which part of all it is. */
export function recordsOfPage({ data, total, limit, skip }: Page): readonly unknown[] | undefined {
  if (![total, limit, skip].some((value) => typeof resolveToJson(value) === 'number')) return undefined
  const records = resolveToJson(data)
  return Array.isArray(records) ? records : undefined
}

/** Whether a value is an object with fields, which JSON reads by themselves. */
export const isRecord = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  !(value instanceof Response) &&
  !(value instanceof Blob) &&
  typeof (value as { pipe?: unknown }).pipe !== 'function' &&
  !(Symbol.asyncIterator in value)
