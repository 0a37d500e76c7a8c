import type { Params } from '../../types/service.js'

/** A value that changes with each write of a record. */
export type Version = string | number | bigint | Date

export const isVersion = (value: unknown): value is Version =>
  value instanceof Date || ['number', 'string', 'bigint'].includes(typeof value)

/** Returns a version as JSON has it. */
const versionText = (value: unknown): string | undefined => {
  if (!isVersion(value)) return undefined
  return value instanceof Date ? value.toJSON() : String(value)
}

/**
 * The suffix that proxies add to the tag when they compress an answer: `"2-gzip"` (Apache, Caddy,
 * lighttpd), `"2--gzip"` (Jetty), `"2;gzip"`.
 */
const encodingSuffix = /(?:--?|;)(?:gzip|br|zstd|deflate)$/

/** Returns the entity tag of a version, or `undefined` if the value is no version. */
export function toTag(value: unknown): string | undefined {
  const text = versionText(value)
  if (text === undefined) return undefined
  const encoded = encodeURI(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
  // A version that ends like such a suffix must not look like another version with a suffix.
  const end = encodingSuffix.exec(encoded)?.index ?? encoded.length - 1
  const escaped = encoded.slice(end).replaceAll('-', '%2D').replaceAll(';', '%3B')
  return `"${encoded.slice(0, end)}${escaped}"`
}

/** The versions of `If-Match`, one of which the record must have, or of `If-None-Match`. */
export class Tags {
  readonly #texts: readonly string[]
  /** Whether they are `*`, so that any version matches. */
  readonly isAny: boolean

  constructor(texts: readonly string[], isAny: boolean) {
    this.#texts = texts
    this.isAny = isAny
  }

  /** Returns the tag of a version, or no tags if the value is no version. */
  static of(version: unknown): Tags {
    const text = versionText(version)
    return new Tags(text === undefined ? [] : [text], false)
  }

  includes(value: unknown): boolean {
    const text = versionText(value)
    return text !== undefined && this.#texts.includes(text)
  }
}

/**
 * Returns the versions that a call names: a request by the header `If-Match`, the server by
 * `params.ifMatch`, which may be a record.
 */
export function readTags({ headers, ifMatch }: Params, isRequest: boolean, field: string): Tags | undefined {
  if (!isRequest) {
    if (ifMatch === undefined || ifMatch === '*') return ifMatch && new Tags([], true)
    return Tags.of(isVersion(ifMatch) ? ifMatch : Object(ifMatch)[field])
  }
  return parseTags(headers?.['if-match'])
}

/** Reads the value of `If-Match` or `If-None-Match`. */
export function parseTags(sent: unknown): Tags | undefined {
  if (sent === undefined) return undefined
  const header = [sent].flat().join(',').trim()
  // A list without tags matches nothing (RFC 9110, 13.1.1): the sender has lost the tag.
  if (header === '') return new Tags([], false)
  // Proxies that compress make a tag weak, or add a suffix. It still names the same version. Tags
  // of the server never end with such a suffix.
  const quoted = [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map(([, tag]) => tag as string)
  const tags = (quoted.length > 0 ? quoted : [header]).map((tag) => tag.replace(encodingSuffix, ''))
  return new Tags(tags.map(decodeTag), header === '*')
}

function decodeTag(tag: string): string {
  try {
    return decodeURIComponent(tag)
  } catch {
    return tag
  }
}
