import type { Params } from '../../types/service.js'

/** What tells one state of a record from the next. */
export type Version = string | number | bigint | Date

/** The kind of the values that a column holds. */
export type VersionKind = 'text' | 'number' | 'date'

export const versionKindOf = (value: unknown): VersionKind | undefined => {
  if (value instanceof Date) return 'date'
  if (typeof value === 'number') return 'number'
  return typeof value === 'string' || typeof value === 'bigint' ? 'text' : undefined
}

/** A version as a text: that of JSON. */
const toText = (value: unknown): string | undefined => {
  if (versionKindOf(value) === undefined) return undefined
  return value instanceof Date ? value.toJSON() : String(value)
}

/** The entity tag of a version, `undefined` for what is none. */
export function toTag(value: unknown): string | undefined {
  const text = toText(value)
  return text && `"${encodeURI(text.replace(/\p{Surrogate}/gu, '\uFFFD'))}"`
}

/** The versions that a caller knows, one of which the record must have. */
export class Tags {
  readonly #texts: readonly string[]
  /** Whether any version will do. */
  readonly isAny: boolean

  constructor(texts: readonly string[], isAny: boolean) {
    this.#texts = texts
    this.isAny = isAny
  }

  includes(value: unknown): boolean {
    const text = toText(value)
    return text !== undefined && this.#texts.includes(text)
  }

  /** The versions that are values of a kind. */
  versionsAs(kind: VersionKind | undefined): readonly Version[] {
    if (kind === undefined) return []
    if (kind === 'text') return this.#texts
    const toVersion = kind === 'number' ? Number : (text: string) => new Date(text)
    return this.#texts.flatMap((text) => {
      const value = toVersion(text)
      return toText(value) === text ? [value] : []
    })
  }
}

/** The versions that a call names: a request by the header `If-Match`, the server by `params.ifMatch`, which may be a record. */
export function readTags({ headers, ifMatch }: Params, isRequest: boolean, field: string): Tags | undefined {
  if (!isRequest) {
    const text = toText(versionKindOf(ifMatch) === undefined ? Object(ifMatch)[field] : ifMatch)
    return ifMatch === undefined ? undefined : new Tags(text === undefined ? [] : [text], ifMatch === '*')
  }
  const header = [headers?.['if-match'] ?? []].flat().join(',').trim()
  if (header === '') return undefined
  // A proxy that compresses makes a tag weak. It names the state of the record all the same.
  const quoted = [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map(([, tag]) => tag as string)
  return new Tags((quoted.length > 0 ? quoted : [header]).map(decodeTag), header === '*')
}

function decodeTag(tag: string): string {
  try {
    return decodeURIComponent(tag)
  } catch {
    return tag
  }
}
