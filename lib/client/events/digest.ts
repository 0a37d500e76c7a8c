// Rounds of SHA-256 (FIPS 180-4): its constants are the fractions of roots of the first 64 primes.
const primes: number[] = []
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n)
const fraction = (root: number) => Math.floor((root % 1) * 2 ** 32)
const constants = primes.map((prime) => fraction(Math.cbrt(prime)))
const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))

const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits))

/** SHA-256 of a few bytes, for pages whose browser has none: those of addresses without TLS. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = new DataView(new ArrayBuffer(((bytes.length + 72) >> 6) << 6))
  bytes.forEach((byte, index) => {
    padded.setUint8(index, byte)
  })
  padded.setUint8(bytes.length, 0x80)
  padded.setUint32(padded.byteLength - 4, bytes.length * 8)
  const hash = Uint32Array.from(initial)
  const words = new Uint32Array(64)
  const at = (index: number) => words[index] as number
  for (let block = 0; block < padded.byteLength; block += 64) {
    let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number]
    for (let i = 0; i < 64; i++) {
      const [early, late] = [at(i - 15), at(i - 2)]
      words[i] =
        i < 16
          ? padded.getUint32(block + i * 4)
          : at(i - 16) +
            (rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)) +
            at(i - 7) +
            (rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10))
      const first =
        h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + (constants[i] as number) + at(i)
      const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
    }
    ;[a, b, c, d, e, f, g, h].forEach((value, index) => {
      hash[index] = (hash[index] as number) + value
    })
  }
  const out = new DataView(new ArrayBuffer(32))
  hash.forEach((word, index) => {
    out.setUint32(index * 4, word)
  })
  return new Uint8Array(out.buffer)
}
