// What npm run bench:growth draws: docs/images/growth.svg.
const tidy = (number) => (number < 10 ? number.toFixed(1) : number.toLocaleString('en', { maximumFractionDigits: 0 }))

/** Small charts beside each other: a bar for each size, as long as what one costs there. */
export function chart(results, version) {
  const [columns, width, left, bar, gap] = [2, 360, 60, 16, 5]
  const most = Math.max(...results.map(({ bars }) => bars.length))
  const height = 34 + most * (bar + gap)
  const lines = [
    `<text x="0" y="16" class="head">CPU time in µs, Node ${version}: bars of one length grow in proportion</text>`
  ]
  for (const [index, { title, bars }] of results.entries()) {
    const [x, y] = [(index % columns) * width, 34 + Math.floor(index / columns) * height]
    const longest = Math.max(...bars.map(({ value }) => value))
    lines.push(`<text x="${x}" y="${y + 12}" class="head">${title}</text>`)
    for (const [row, { size, value }] of bars.entries()) {
      const top = y + 20 + row * (bar + gap)
      const length = ((Math.max(value, 0) / longest) * (width - left - 80)).toFixed(1)
      lines.push(
        `<text x="${x + left - 8}" y="${top + 12}" text-anchor="end">${size.toLocaleString('en')}</text>`,
        `<rect x="${x + left}" y="${top}" width="${length}" height="${bar}" rx="2"/>`,
        `<text x="${x + left + Number(length) + 6}" y="${top + 12}">${tidy(value)}</text>`
      )
    }
  }
  const rows = Math.ceil(results.length / columns)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${columns * width} ${34 + rows * height}" role="img" aria-label="CPU time for each service, hook, record, connection and stream, by how many there are">
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
.head { font-weight: 600 }
rect { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #d0d7de } rect { fill: #58a6ff } }
</style>
${lines.join('\n')}
</svg>
`
}
