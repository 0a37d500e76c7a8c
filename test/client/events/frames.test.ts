import { createHash, randomBytes } from 'node:crypto'
import t from 'tap'
import { sha256 } from '../../../lib/client/events/digest.js'
import { createFrameReader, type Frame } from '../../../lib/client/events/frames.js'

const text =
  '\uFEFF: hello\nretry: 20\nid: a\ndata: {"text":\r\ndata:  "é😀"}\r\n\r\n:\n\nevent: x\rdata\rid: b c\r\rid: \u00e9\nretry: 1e3\ndata:1:2\n\ndata: cut'
const frames = [
  { data: '{"text":\n "é😀"}', id: 'a', retry: 20 },
  { data: undefined, id: undefined, retry: undefined },
  { data: '', id: undefined, retry: undefined },
  { data: '1:2', id: undefined, retry: undefined }
]

t.test('frames are the same wherever the bytes are cut', async (t) => {
  const bytes = new TextEncoder().encode(text)
  for (let size = 1; size <= bytes.length; size++) {
    const read: Frame[] = []
    const take = createFrameReader((frame) => read.push(frame))
    for (let at = 0; at < bytes.length; at += size) take(bytes.slice(at, at + size))
    t.strictSame(read, frames, `pieces of ${size}`)
  }
})

t.test('a frame that never ends is an error, in one line or in many', async (t) => {
  for (const piece of ['data: x', 'data: x\n']) {
    const take = createFrameReader(() => {})
    const bytes = new TextEncoder().encode(piece.repeat(100_000))
    t.throws(
      () => {
        for (let i = 0; i < 10; i++) take(bytes)
      },
      { message: 'A frame of the stream of events has no end' }
    )
  }
})

t.test('SHA-256 where the browser has none', async (t) => {
  for (let length = 0; length < 200; length++) {
    const bytes = randomBytes(length)
    t.same(Buffer.from(sha256(bytes)), createHash('sha256').update(bytes).digest(), `${length} bytes`)
  }
})
