/** What was given where something else must stand, in a few words for a message. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `'${value.slice(0, 40)}'`
  if (typeof value === 'function') return isClass(value) ? `the class ${value.name}` : 'a function'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** Whether it is a class, not an object of it. */
export const isClass = (value: unknown): boolean =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
