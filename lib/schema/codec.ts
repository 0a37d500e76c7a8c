/**
 * The keyword of a schema that holds the codec of its place. Documents don't show it, and no schema
 * of an application can hold a `Codec`.
 */
export const codecKeyword = '~wireCodec'

/** The two ways of a codec: from the wire to the service (`decode`), and back (`encode`). */
export interface CodecFunctions {
  /** Returns the value for the wire; `undefined` if this is no value of the service. */
  encode(value: unknown): { readonly value: unknown } | undefined
  /** Returns the value for the service, or why there is none. */
  decode(value: unknown): { readonly value: unknown } | { readonly message: string }
}

/**
 * Converts the values of one place between what is on the wire, which the schema describes, and
 * what the service has.
 */
export class Codec implements CodecFunctions {
  readonly encode: CodecFunctions['encode']
  readonly decode: CodecFunctions['decode']

  /**
   * @param id different for each codec of a schema: schemas are compared as JSON
   * @param isComparable whether a query can compare what `decode` gives. Objects and lists would be
   * operators
   */
  constructor(
    readonly id: number,
    readonly isComparable: boolean,
    { encode, decode }: CodecFunctions
  ) {
    this.encode = encode
    this.decode = decode
  }
}

/** A codec has thrown, or has returned a promise. */
export class EncodeError extends Error {}

/**
 * Encodes a value by the first codec that takes it. Others are on the wire already, as a text of a
 * database may be.
 */
export function encodeBy(codecs: readonly Codec[], value: unknown): unknown {
  try {
    for (const codec of codecs) {
      const encoded = codec.encode(value)
      if (encoded !== undefined) return encoded.value
    }
  } catch (cause) {
    throw new EncodeError('A codec has failed', { cause })
  }
  return value
}
