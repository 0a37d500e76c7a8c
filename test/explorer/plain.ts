import type { Field } from '../../lib/explorer/model/schema.js'

/** Any value in words of JSON: `undefined`, files and maps too, each told from what looks like it. */
export function toPlain(value: unknown): unknown {
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value)) || Object.is(value, -0))
    return `(${Object.is(value, -0) ? '-0' : value})`
  if (value instanceof File) return `(the file ${value.name}, ${value.size} ${value.type})`
  if (value instanceof FormData) return { form: [...value].map(toPlain) }
  if (value instanceof Map) return { map: [...value].map(toPlain) }
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toPlain(part)]))
}

/** A field without what most fields are not. */
export function toShort({ name, kind, choices, variants, item, ...rest }: Field): unknown {
  const isUsual = (part: unknown) =>
    part === false ||
    part === undefined ||
    (typeof part === 'object' && part !== null && Object.keys(part).length === 0)
  const others = Object.entries({ ...rest, item: item && toShort(item), variants: variants().map(toNames) }).filter(
    ([, content]) => !isUsual(content)
  )
  const said = choices.length === 0 ? [] : [toPlain(choices)]
  return [name, kind, ...said, ...(others.length === 0 ? [] : [toPlain(Object.fromEntries(others))])]
}

const toNames = (fields: readonly Field[]) => fields.map(({ name, kind }) => `${name}: ${kind}`).join(', ')

/** What a function gives, or the error that it throws. */
export async function resultOf(act: () => unknown): Promise<unknown> {
  try {
    return toPlain(await act())
  } catch (error) {
    return `${error}`
  }
}

/** What stands where something else should. */
export const odd = [undefined, null, true, 0, 7, '', 'text', [], ['a'], {}, { a: 1 }, [null, 7, {}, []]]
