/**
 * Calls the `toJSON` of a value, as `JSON.stringify` does, and returns its answer. A value without
 * one is returned as it is, and so are dates and bytes, which have a meaning of their own.
 *
 * JSON calls `toJSON` once, and reads the answer field by field, even if that has a `toJSON` too.
 * Such an answer is copied without it, so that nothing calls it later.
 *
 * @throws the error of the `toJSON`
 */
export function resolveToJson(value: unknown): unknown {
  if (!hasToJson(value) || isDateOrBytes(value)) return value
  const json = value.toJSON('')
  // JSON has no functions.
  if (typeof json === 'function') return undefined
  return hasToJson(json) && !isDateOrBytes(json) ? copyFields(json) : json
}

const isDateOrBytes = (value: unknown) => value instanceof Date || ArrayBuffer.isView(value)

const hasToJson = (value: unknown): value is { toJSON(key: string): unknown } =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as { toJSON?: unknown }).toJSON === 'function'

/** Copies items or fields as JSON reads them: not by the iterator of a list. */
function copyFields(object: object): object {
  if (Array.isArray(object)) return Array.from({ length: object.length }, (_, index) => object[index])
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== 'toJSON'))
}
