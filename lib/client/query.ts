/** `name=value` pairs of a value, in the form and the order of `qs.stringify`. */
function pairs(value: unknown, name: string): string[] {
  if (value instanceof Date) return pairs(value.toISOString(), name)
  if (value === undefined) return []
  if (!isObject(value)) return [`${encode(name)}=${encode(String(value ?? ''))}`]
  return Object.entries(value).flatMap(([key, inner]) => pairs(inner, `${name}[${key}]`))
}

const isObject = (value: unknown): value is object => Object(value) === value

// As `qs` does, beyond encodeURIComponent.
const encode = (text: string) =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** A query as a string, byte for byte as `qs.stringify(query)` prints it. */
export function stringify(query: object): string {
  return Object.entries(query)
    .flatMap(([key, value]) => pairs(value, key))
    .join('&')
}

/**
 * The key of a condition that does not come out of the query string, at any depth: its value is `undefined`, an empty list, an empty object,
 * or the key is a symbol, empty, or that of a member of every object, which `qs` does not parse.
 */
export function findVanishing(query: object): PropertyKey | undefined {
  return Reflect.ownKeys(query).find((key) => {
    if (typeof key === 'symbol' || key === '' || key in {}) return true
    const value: unknown = query[key as never]
    return pairs(value, key).length === 0 || (isObject(value) && findVanishing(value) !== undefined)
  })
}
