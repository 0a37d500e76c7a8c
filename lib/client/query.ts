/** `name=value` pairs of a value, in the form and the order of `qs.stringify`. */
function pairs(value: unknown, name: string): string[] {
  if (value instanceof Date) return pairs(value.toISOString(), name)
  if (value === undefined) return []
  if (value === null) return [`${encode(name)}=`]
  if (typeof value !== 'object' && typeof value !== 'function') return [`${encode(name)}=${encode(String(value))}`]
  return Object.entries(value).flatMap(([key, inner]) => pairs(inner, `${name}[${key}]`))
}

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

/** The name of a condition that the query string does not show: `undefined`, an empty list, an empty object, at any depth. */
export function findVanishing(query: object): string | undefined {
  return Object.keys(query).find((key) => {
    const value: unknown = query[key as never]
    const isEmpty = pairs(value, key).length === 0
    return isEmpty || (typeof value === 'object' && value !== null && findVanishing(value) !== undefined)
  })
}
