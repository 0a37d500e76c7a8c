import { recordsOfPage } from '../../core/page.js'
import { resolveToJson } from '../../schema/to-json.js'

/**
 * The records of a result: those of a list or a page, or itself. `undefined` for what has none that
 * could be read: a stream, a text, bytes.
 */
export function recordsIn(result: unknown): readonly unknown[] | undefined {
  if (!isRecord(result)) return undefined
  const json = resolveToJson(result)
  return Array.isArray(json) ? json : (recordsOfPage(json) ?? [result])
}

/** A result in which each record is replaced; of a page, nothing else stays but its numbers. */
export function mapRecords(result: unknown, change: (record: unknown) => unknown, mayBePage: boolean): unknown {
  const json = resolveToJson(result)
  if (Array.isArray(json)) return json.map(change)
  if (json === null || json === undefined) return json
  const records = mayBePage ? recordsOfPage(json) : undefined
  if (records === undefined) return change(json)
  const { total, limit, skip } = json as Readonly<Record<string, unknown>>
  return { total, limit, skip, data: records.map(change) }
}

/** Returns what an object stands for: those of libraries may keep their fields elsewhere. */
export const resolveRecord = (value: unknown): unknown => (isRecord(value) ? resolveToJson(value) : value)

/** Whether a value is an object with fields, which JSON reads by themselves. */
export const isRecord = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  !(value instanceof Response) &&
  !(value instanceof Blob) &&
  typeof (value as { pipe?: unknown }).pipe !== 'function' &&
  !(Symbol.asyncIterator in value)
