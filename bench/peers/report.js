// What npm run bench:peers prints, and the picture that it draws.
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

const titles = { get: 'one record', find: 'ten of 1,000 records, by a nested query', create: 'a new record' }
const tidy = (number) => (number < 100 ? number.toFixed(1) : number.toFixed(0))

/** The CPU time of each side, as bars: one group for each work. */
export function chart({ version, figures }, { names, works }) {
  const [left, width, bar, gap] = [170, 430, 16, 5]
  const most = Math.max(...works.flatMap((work) => names.map((name) => figures.get(`${work} ${name}`).cpu)))
  let y = 34
  const lines = [`<text x="0" y="16" class="head">CPU time of a request in µs, Node ${version} (less is better)</text>`]
  for (const work of works) {
    lines.push(`<text x="0" y="${y + 12}" class="head">${work}: ${titles[work]}</text>`)
    y += 22
    const cpuOf = (name) => figures.get(`${work} ${name}`).cpu
    for (const name of names.toSorted((first, second) => cpuOf(first) - cpuOf(second))) {
      const length = ((cpuOf(name) / most) * width).toFixed(1)
      lines.push(
        `<text x="${left - 8}" y="${y + 12}" text-anchor="end">${name}</text>`,
        `<rect x="${left}" y="${y}" width="${length}" height="${bar}" rx="2"${name === 'fastify-services' ? ' class="ours"' : ''}/>`,
        `<text x="${left + Number(length) + 6}" y="${y + 12}">${tidy(cpuOf(name))}</text>`
      )
      y += bar + gap
    }
    y += 14
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 60} ${y}" role="img" aria-label="CPU time of a request by framework">
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
.head { font-weight: 600 }
rect { fill: #8c959f }
.ours { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #d0d7de } rect { fill: #6e7681 } .ours { fill: #58a6ff } }
</style>
${lines.join('\n')}
</svg>
`
}

const table = (rows) =>
  [rows[0], rows[0].map(() => '---'), ...rows.slice(1)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** The table of one version of Node. */
export function tableOf({ figures }, { names, works, isBusy }) {
  const head = ['', ...works.flatMap((work) => [`${work}: CPU, µs`, ...(isBusy ? [] : ['p50, ms', 'p99, ms'])])]
  const rowOf = (name) => [
    name === 'fastify-services' ? `**${name}**` : name,
    ...works.flatMap((work) => {
      const { cpu, p50, p99 } = figures.get(`${work} ${name}`)
      return [tidy(cpu), ...(isBusy ? [] : [p50.toFixed(2), p99.toFixed(2)])]
    })
  ]
  return table([head, ...names.map(rowOf)])
}

/** The machine and the versions. */
export function setup() {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const versionOf = (name) =>
    JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8')).version
  const { dependencies } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))
  const peers = Object.keys(dependencies).filter((name) => !['reflect-metadata', 'rxjs', 'zod', 'qs'].includes(name))
  return [
    `${cpus().length} × ${cpus()[0].model.trim()}`,
    `fastify-services ${manifest.version}`,
    ...peers.map((name) => `${name} ${versionOf(name)}`)
  ].join(', ')
}
