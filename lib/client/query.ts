/** `name=value` pairs of a value, in the form and the order of `qs.stringify`. The query itself has no name. */
function pairs(value: unknown, name?: string): string[] {
  if (value instanceof Date) return pairs(value.toISOString(), name)
  if (value === undefined) return []
  if (!isObject(value)) return [`${encode(String(name))}=${encode(String(value ?? ''))}`]
  return Object.entries(value).flatMap(([key, inner]) => pairs(inner, name === undefined ? key : `${name}[${key}]`))
}

const isObject = (value: unknown): value is object => Object(value) === value

// `qs` encodes more characters than encodeURIComponent, and replaces halves of surrogate pairs, at which encodeURIComponent throws.
const encode = (text: string) =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** A query as a string, byte for byte as `qs.stringify(query)` prints it. */
export const stringify = (query: object): string => pairs(query).join('&')

/**
 * Finds a condition, at any depth, that would be lost in the query string, and returns its key. A condition is lost if its value is
 * `undefined`, an empty list or an empty object, or if its key is a symbol, empty, or a name like `constructor`, which `qs` does not parse.
 */
export function findVanishing(query: object): PropertyKey | undefined {
  return Reflect.ownKeys(query).find((key) => {
    if (typeof key === 'symbol' || key === '' || key in {}) return true
    const value: unknown = Reflect.get(query, key)
    return pairs(value, key).length === 0 || (isObject(value) && findVanishing(value) !== undefined)
  })
}
