/** The records of a result: those of a list or a page, or itself. `undefined` for what has none that could be read: a stream, a text, bytes. */
export function recordsIn(result: unknown): readonly unknown[] | undefined {
  if (Array.isArray(result)) return result
  if (!isRecord(result)) return undefined
  return isPageOfRecords(result) ? result.data : [result]
}

/** A result in which each record is replaced; of a page, nothing else stays but its numbers. */
export function mapRecords(result: unknown, change: (record: unknown) => unknown, mayBePage: boolean): unknown {
  if (Array.isArray(result)) return result.map(change)
  if (result === null || result === undefined) return result
  if (!mayBePage || !isRecord(result) || !isPageOfRecords(result)) return change(result)
  const { total, limit, skip, data } = result
  return { total, limit, skip, data: data.map(change) }
}

interface Page {
  readonly total?: unknown
  readonly limit?: unknown
  readonly skip?: unknown
  readonly data: readonly unknown[]
}

/** A page of `find`: a list, and a number that says which part of all it is. */
export const isPageOfRecords = (result: object): result is Page =>
  'data' in result &&
  Array.isArray(result.data) &&
  ['total', 'limit', 'skip'].some((name) => typeof (result as Record<string, unknown>)[name] === 'number')

/** Whether a value is an object with fields, which JSON reads by themselves. */
export const isRecord = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  !(value instanceof Response) &&
  !(value instanceof Blob) &&
  typeof (value as { pipe?: unknown }).pipe !== 'function' &&
  !(Symbol.asyncIterator in value)
