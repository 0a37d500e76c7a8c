import type { Params } from '../../types/service.js'

/** What tells one state of a record from the next. */
export type Version = string | number | bigint | Date

export const isVersion = (value: unknown): value is Version =>
  value instanceof Date || ['number', 'string', 'bigint'].includes(typeof value)

/** A version as a text: that of JSON. */
const toText = (value: unknown): string | undefined => {
  if (!isVersion(value)) return undefined
  return value instanceof Date ? value.toJSON() : String(value)
}

/**
 * Proxies that compress an answer put the encoding behind its tag: `"2-gzip"` (Apache, Caddy,
 * lighttpd), `"2--gzip"` (Jetty), `"2;gzip"`.
 */
const encodingSuffix = /(?:--?|;)(?:gzip|br|zstd|deflate)$/

/** Returns the entity tag of a version, or `undefined` if the value is no version. */
export function toTag(value: unknown): string | undefined {
  const text = toText(value)
  if (text === undefined) return undefined
  const encoded = encodeURI(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
  // A version that ends like this by itself must not be taken for another one with a suffix.
  const end = encodingSuffix.exec(encoded)?.index ?? encoded.length - 1
  const escaped = encoded.slice(end).replaceAll('-', '%2D').replaceAll(';', '%3B')
  return `"${encoded.slice(0, end)}${escaped}"`
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
}

/**
 * The versions that a call names: a request by the header `If-Match`, the server by
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
  // A list without tags matches nothing (RFC 9110, 13.1.1): whoever sends it has lost the tag.
  if (header === '') return new Tags([], false)
  // Proxies that compress make a tag weak, or add a suffix. It names the state of the record all
  // the same. A tag of the server has no such suffix by itself.
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
