import { isObject } from './objects.js'

/** Returns JSON that is equal for equal values, in whatever order their fields are. */
export const toStableJSON = (value: unknown): string => JSON.stringify(value, sortFields)

function sortFields(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
}
