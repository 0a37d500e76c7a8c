/** The records of a result: those of a list or a page, or itself. `undefined` for what has none that could be read: a stream, a text, bytes. */
export function recordsIn(result: unknown): readonly unknown[] | undefined {
  if (Array.isArray(result)) return result
  if (!isRecord(result)) return undefined
  const { data } = result as { data?: unknown }
  return isPageOfRecords(result) ? (data as unknown[]) : [result]
}

/** A result in which each record is replaced. */
export function mapRecords(result: unknown, change: (record: object) => object): unknown {
  if (Array.isArray(result)) return result.map((record) => (isRecord(record) ? change(record) : record))
  if (!isRecord(result)) return result
  return isPageOfRecords(result) ? { ...result, data: mapRecords(result.data, change) } : change(result)
}

/** A page of `find`: a list, and a number that says which part of all it is. */
const isPageOfRecords = (result: object): result is { data: unknown[] } =>
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
