/** One event of a stream of server-sent events: the text between two blank lines. */
export interface Frame {
  /** Data, `undefined` for a comment or a position alone. */
  readonly data: string | undefined
  readonly id: string | undefined
  /** How long to wait before the next connection, in ms. */
  readonly retry: number | undefined
}

/**
 * The most characters of a frame. A server that sends more sends something else.
 */
const longestFrame = 4_000_000

/**
 * Makes a function that takes the bytes of a stream as they come, cut anywhere, and calls `onFrame`
 * with each frame that is whole.
 *
 * @throws from that function, when a frame is longer than any event
 */
export function createFrameReader(onFrame: (frame: Frame) => void): (bytes: Uint8Array) => void {
  // A byte order mark at the start is left out by the decoder.
  const decoder = new TextDecoder()
  let rest = ''
  let length = 0
  let isAfterReturn = false
  let data: string[] = []
  let id: string | undefined
  let retry: number | undefined

  function readLine(line: string): void {
    const [, name, value = ''] = /^([^:]*):? ?(.*)/s.exec(line) as RegExpExecArray
    if (name === 'data') data.push(value)
    // An id is sent back as a header.
    if (name === 'id' && /^[!-~]{1,256}$/.test(value)) id = value
    if (name === 'retry' && /^\d{1,9}$/.test(value)) retry = Number(value)
  }

  return (bytes) => {
    const decoded = decoder.decode(bytes, { stream: true })
    if (!decoded) return
    const text = isAfterReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded
    isAfterReturn = decoded.endsWith('\r')
    const lines = text.split(/\r\n?|\n/)
    lines[0] = rest + lines[0]
    rest = lines.pop() as string
    for (const line of lines) {
      length += line.length
      if (line) {
        readLine(line)
        continue
      }
      onFrame({ data: data.length ? data.join('\n') : undefined, id, retry })
      data = []
      id = retry = undefined
      length = 0
    }
    if (length + rest.length > longestFrame) throw new RangeError('A frame of the stream of events has no end')
  }
}
