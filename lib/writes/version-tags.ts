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
  return text === undefined ? undefined : `"${encodeURI(text.replace(/\p{Surrogate}/gu, '\uFFFD'))}"`
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

  /** The tag of a version, none where the value is no version. */
  static of(version: unknown): Tags {
    const text = toText(version)
    return new Tags(text === undefined ? [] : [text], false)
  }

  includes(value: unknown): boolean {
    const text = toText(value)
    return text !== undefined && this.#texts.includes(text)
  }

  /** The versions that are values of a kind. */
  versionsAs(kind: VersionKind | undefined): readonly Version[] {
    if (kind === undefined) return []
    // PostgreSQL fails at a text with it, wherever it stands.
    if (kind === 'text') return this.#texts.filter((text) => !text.includes('\0'))
    const toVersion = kind === 'number' ? Number : (text: string) => new Date(text)
    return this.#texts.flatMap((text) => {
      const value = toVersion(text)
      // Databases have other spellings of years before 0 and after 9999.
      const isStorable = kind === 'number' || /^\d{4}-/.test(text)
      return isStorable && toText(value) === text ? [value] : []
    })
  }
}

/** The versions that a call names: a request by the header `If-Match`, the server by `params.ifMatch`, which may be a record. */
export function readTags({ headers, ifMatch }: Params, isRequest: boolean, field: string): Tags | undefined {
  if (!isRequest) {
    if (ifMatch === undefined || ifMatch === '*') return ifMatch && new Tags([], true)
    return Tags.of(versionKindOf(ifMatch) === undefined ? Object(ifMatch)[field] : ifMatch)
  }
  const sent = headers?.['if-match']
  if (sent === undefined) return undefined
  const header = [sent].flat().join(',').trim()
  // A list without tags matches nothing (RFC 9110, 13.1.1): whoever sends it has lost the tag.
  if (header === '') return new Tags([], false)
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
