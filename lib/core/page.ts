import { resolveToJson } from '../schema/to-json.js'

/**
 * Returns the records of a page of `find`: an object with a list and a number, such as `total`. An
 * object with a `toJSON` counts as its result. Returns `undefined` for anything else.
 */
export function recordsOfPage(page: unknown): unknown[] | undefined {
  const { data, total, limit, skip } = Object(page) as Record<string, unknown>
  if (!(isNumber(total) || isNumber(limit) || isNumber(skip))) return undefined
  const records = resolveToJson(data)
  return Array.isArray(records) ? records : undefined
}

const isNumber = (count: unknown) =>
  typeof count === 'number' || ['number', 'bigint'].includes(typeof resolveToJson(count))
