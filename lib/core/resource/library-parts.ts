type LibraryPart = readonly [name: string, schema: unknown]
type Names = Readonly<Record<string, unknown>>

/** The schemas that stand in a schema of zod or Valibot, each with its place in the value. */
function libraryParts(schema: unknown): readonly LibraryPart[] {
  const { _zod, ...ofValibot } = Object(schema)
  const { shape, entries, element, item, items, valueType, value, catchall, rest, getter, ...others } =
    _zod?.def ?? ofValibot
  const { options = [], pipe = [], left, right, innerType, wrapped, in: sent, out } = others
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  const fields = Object.entries((shape ?? entries ?? {}) as Names).map(
    ([name, field]): LibraryPart => [`.${name}`, field]
  )
  return [
    ...fields,
    ...[element, item, ...list(items)].map((inner): LibraryPart => ['[]', inner]),
    ...[valueType, value, catchall, rest].map((inner): LibraryPart => ['.*', inner]),
    ...[...list(options), ...list(pipe), left, right, innerType, wrapped, sent, out].map(
      (inner): LibraryPart => ['', inner]
    ),
    ...(typeof getter === 'function' && _zod !== undefined ? [['', getter()] as const] : [])
  ].filter(([, inner]) => typeof inner === 'object' && inner !== null)
}

/**
 * Finds the innermost part of a schema of zod or Valibot that its library refuses.
 *
 * @returns its place, as in `deep.list[]`. The empty text for the whole, and for schemas of other
 * libraries
 */
export function placeOfRefused(schema: unknown, isRefused: (part: unknown) => boolean): string {
  const visited = new Set<unknown>()
  const visit = (schema: unknown, place: string): string | undefined => {
    if (visited.has(schema)) return undefined
    visited.add(schema)
    const refused = libraryParts(schema).filter(([, part]) => isRefused(part))
    if (refused.length === 0) return place
    for (const [name, part] of refused) {
      const innermost = visit(part, place + name)
      if (innermost !== undefined) return innermost
    }
    return undefined
  }
  return (visit(schema, '') ?? '').replace(/^\./, '')
}

/** Whether a part is in a schema of Valibot, at any depth. */
export function holdsPart(schema: unknown, wanted: ReadonlySet<unknown>, visited = new Set<unknown>()): boolean {
  if (wanted.has(schema)) return true
  if (visited.has(schema)) return false
  visited.add(schema)
  return libraryParts(schema).some(([, part]) => holdsPart(part, wanted, visited))
}
