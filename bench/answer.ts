// The last chunk of an answer without a length.
const lastChunk = '0\r\n\r\n'

/** An answer that arrives in pieces. */
export class Answer {
  text = ''
  #length: number | undefined
  #tail = ''

  /** @returns whether it is complete now */
  add(piece: string): boolean {
    this.text += piece
    this.#tail = (this.#tail + piece).slice(-lastChunk.length)
    this.#length ??= lengthOf(this.text)
    if (this.#length === undefined) return false
    return this.#length === Number.POSITIVE_INFINITY ? this.#tail === lastChunk : this.text.length >= this.#length
  }

  get body(): string {
    const body = this.text.slice(this.text.indexOf('\r\n\r\n') + 4)
    return this.#length === Number.POSITIVE_INFINITY ? joined(body) : body
  }
}

/** The length of an answer with its head, infinite where it comes in chunks; `undefined` while the head is not complete. */
function lengthOf(text: string): number | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return end + 4 + Number(length)
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return Number.POSITIVE_INFINITY
  throw new Error(`An answer without a length: ${head}`)
}

function joined(body: string): string {
  let text = ''
  for (let start = 0; start < body.length; ) {
    const end = body.indexOf('\r\n', start)
    const length = Number.parseInt(body.slice(start, end), 16)
    text += body.slice(end + 2, end + 2 + length)
    start = end + 2 + length + 2
  }
  return text
}
