/**
 * The keyword for the codec of a schema. Documents don't show it, and no schema of an application
 * can have a `Codec`.
 */
export const codecKeyword = '~wireCodec'

/** Converts from the wire to the service (`decode`), and back (`encode`). */
export interface CodecFunctions {
  /** Returns the value for the wire; `undefined` if this is not a value of the service. */
  encode(value: unknown): { readonly value: unknown } | undefined
  /** Returns the value for the service, or why there is none. */
  decode(value: unknown): { readonly value: unknown } | { readonly message: string }
}

/** Converts values between the wire, which the schema describes, and the service. */
export class Codec implements CodecFunctions {
  readonly encode: CodecFunctions['encode']
  readonly decode: CodecFunctions['decode']

  /**
   * @param id different for each codec of a schema: schemas are compared as JSON
   * @param isComparable whether a query can compare decoded values. Objects and lists would be
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

/** Thrown if a codec throws, or returns a promise. */
export class EncodeError extends Error {}

/**
 * Encodes a value by the first codec that accepts it. Other values stay, such as stored strings.
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
