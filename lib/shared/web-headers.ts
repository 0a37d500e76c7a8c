/** Converts headers of Node to those of `fetch`, without the pseudo headers of HTTP/2. */
export function toWebHeaders(headers: Readonly<Record<string, number | string | string[] | undefined>>): Headers {
  const copy = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (!name.startsWith(':')) for (const item of [value ?? []].flat()) copy.append(name, String(item))
  return copy
}
