/** Escapes a key for a JSON Pointer (RFC 6901): `x/y~z` → `x~1y~0z`. */
export const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** Reads a key of a JSON Pointer: `x~1y~0z` → `x/y~z`. */
export const unescapeKey = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~')

/** Writes a JSON Pointer as the fragment of a reference: `['$defs', 'a b']` → `/$defs/a%20b`. */
export const toFragment = (keys: readonly string[]): string =>
  keys.map((key) => `/${encodeURI(escapeKey(key)).replaceAll('#', '%23')}`).join('')

/** Reads a key in the fragment of a reference. Text that is not URL-encoded stays as it is. */
export function fragmentKey(key: string): string {
  try {
    return unescapeKey(decodeURIComponent(key))
  } catch {
    return unescapeKey(key)
  }
}
