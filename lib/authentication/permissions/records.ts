import { recordsOfPage } from '../../core/page.js'
import { resolveToJson } from '../../schema/to-json.js'

/**
 * Returns the records of a result: those of a list or a page, or the result itself. `undefined` for
 * a result without readable records: a stream, a text, bytes.
 */
export function recordsIn(result: unknown): readonly unknown[] | undefined {
  if (!isRecord(result)) return undefined
  const json = resolveToJson(result)
  return Array.isArray(json) ? json : (recordsOfPage(json) ?? [result])
}

/** Replaces each record of a result. Of a page, only the numbers are kept beside. */
export function mapRecords(result: unknown, change: (record: unknown) => unknown, mayBePage: boolean): unknown {
  const json = resolveToJson(result)
  if (Array.isArray(json)) return json.map(change)
  if (json === null || json === undefined) return json
  const records = mayBePage ? recordsOfPage(json) : undefined
  if (records === undefined) return change(json)
  const { total, limit, skip } = json as Readonly<Record<string, unknown>>
  return { total, limit, skip, data: records.map(change) }
}

/** Changes each record of a result. A page keeps its other fields. */
export function changeRecords(result: unknown, change: (record: unknown) => unknown, mayBePage: boolean): unknown {
  const value = resolveRecord(result)
  if (Array.isArray(value)) return value.map(change)
  const records = mayBePage ? recordsOfPage(value) : undefined
  return records === undefined ? change(value) : { ...(value as object), data: records.map(change) }
}

/** Resolves `toJSON`: objects of libraries may keep their fields elsewhere. */
export const resolveRecord = (value: unknown): unknown => (isRecord(value) ? resolveToJson(value) : value)

/** Whether a value is an object with fields of its own in JSON. */
export const isRecord = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  !(value instanceof Response) &&
  !(value instanceof Blob) &&
  typeof (value as { pipe?: unknown }).pipe !== 'function' &&
  !(Symbol.asyncIterator in value)
