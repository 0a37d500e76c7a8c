/**
 * What was given where something else must stand, in a few words for the end of a message. What a string says is left out: it may be a key, an
 * address with a password, or what a client has sent. A class is given by mistake, in place of an object of it.
 */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string'
  if (isClass(value)) return value.name === '' ? 'a class' : `the class ${value.name}: pass \`new ${value.name}()\``
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** The same where a string may be told: in place of another one. */
export const shownText = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? `'${value.slice(0, 40)}'` : shown(value)

/** Whether it is a class, not an object of it. */
export const isClass = (value: unknown): value is { readonly name: string } =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
