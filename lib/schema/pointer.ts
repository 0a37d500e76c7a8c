/** Escapes a key for a JSON Pointer (RFC 6901): `x/y~z` → `x~1y~0z`. */
export const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

const unescapeKey = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~')

/** Reads the keys of a JSON Pointer: `/x~1y/0` → `['x/y', '0']`. */
export const parsePointer = (pointer: string): string[] => pointer.split('/').slice(1).map(unescapeKey)

/** Writes keys as a JSON Pointer in the fragment of a URI: `['$defs', 'a b']` → `/$defs/a%20b`. */
export const toFragment = (keys: readonly string[]): string =>
  keys.map((key) => `/${encodeURI(escapeKey(key)).replaceAll('#', '%23')}`).join('')

/** Reads a key of a fragment. Text that is not URL-encoded stays as it is. */
function fragmentKey(key: string): string {
  try {
    return unescapeKey(decodeURIComponent(key))
  } catch {
    return unescapeKey(key)
  }
}

/** Returns the value at the JSON Pointer in a fragment, `undefined` if there is none. */
export function valueAt(root: unknown, fragment: string): unknown {
  let value = root
  for (const key of fragment.split('/').slice(1).map(fragmentKey))
    value = Object.hasOwn(Object(value), key) ? (value as Record<string, unknown>)[key] : undefined
  return value
}

/** Returns whether a reference leads into its own document. */
export const isLocalReference = ($ref: unknown): $ref is string => typeof $ref === 'string' && $ref.startsWith('#')

/** A reference to a definition of its own document, in parts. */
interface DefinitionReference {
  readonly keyword: 'definitions' | '$defs'
  readonly name: string
  /** The pointer within the definition, or the empty string. */
  readonly rest: string
}

/** Splits a reference such as `#/$defs/money/properties/amount`; `undefined` for all others. */
export function parseDefinitionReference($ref: unknown): DefinitionReference | undefined {
  const [, keyword, name, rest = ''] = /^#\/(definitions|\$defs)\/([^/]+)(.*)$/.exec(String($ref)) ?? []
  if (name === undefined) return undefined
  return { keyword: keyword === '$defs' ? '$defs' : 'definitions', name: fragmentKey(name), rest }
}
