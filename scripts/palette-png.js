import { crc32, deflateSync } from 'node:zlib'

/**
 * Makes a PNG with 256 colours of the pixels of a picture: a third of the bytes, and a page has hardly more.
 *
 * @param pixels four bytes for each pixel, as a canvas gives them
 */
export function toPalettePNG(pixels, width, height) {
  const colours = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height)
  const counts = new Map()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const palette = [...counts]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, 256)
    .map(([colour]) => colour)
  const indexes = new Map([...counts.keys()].map((colour) => [colour, nearest(colour, palette)]))

  // A line begins with the number of its filter: none.
  const lines = Buffer.alloc((width + 1) * height)
  for (const [place, colour] of colours.entries()) lines[place + Math.floor(place / width) + 1] = indexes.get(colour)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0))
  ])
}

const channels = (colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255]

function nearest(colour, palette) {
  const wanted = channels(colour)
  const distances = palette.map((other) =>
    channels(other).reduce((sum, value, index) => sum + (value - wanted[index]) ** 2, 0)
  )
  return distances.indexOf(Math.min(...distances))
}

function chunk(name, data) {
  const bytes = Buffer.alloc(data.length + 12)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(name, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), data.length + 8)
  return bytes
}
