// What npm run bench:peers writes: the page docs/benchmarks.md, and its picture.
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

function tableOf({ figures }, { names, works, isBusy }) {
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

function versions() {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const versionOf = (name) =>
    JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8')).version
  const { dependencies } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))
  const peers = Object.keys(dependencies).filter((name) => !['reflect-metadata', 'rxjs', 'zod', 'qs'].includes(name))
  return [`fastify-services ${manifest.version}`, ...peers.map((name) => `${name} ${versionOf(name)}`)].join(', ')
}

/** The page. */
export function page(results, setting) {
  const { rounds, requests, connections, isBusy } = setting
  return `# Benchmarks

The same small API, written for each framework as its documentation has one write it: \`find\`, \`get\` and \`create\` of messages, over HTTP.
What the methods do costs next to nothing, so that the way to them is what counts.

![CPU time of a request by framework](images/benchmarks.svg)

${results.map((result) => `## Node ${result.version}\n\n${tableOf(result, setting)}`).join('\n\n')}

## How it was measured

- \`npm run bench:peers\`, on ${new Date().toISOString().slice(0, 10)}. The programs are in \`bench/peers\`, with a \`package.json\` of their own.
- Each side is a process of its own. All answer the same bytes, which is checked first; tRPC puts its own envelope around them, and takes a query as JSON.
- ${rounds} rounds, and the order of all sides is another one in each. A side gets ${requests} requests in each, over ${connections} connections, without pipelining.
- CPU is user and system time of the process, for one request: the lowest fifth of the rounds. The client runs on the same machine.
- ${
    isBusy
      ? 'The machine was busy with other work: no time on the clock is told, and CPU times are longer than on one of its own'
      : 'p50 and p99 are how long half of the requests have taken at most, and 99 of 100: the medians of the rounds'
  }. Compare the sides of a table with each other, and no figure with one of another day.
- ${cpus().length} × ${cpus()[0].model.trim()}.
- ${versions()}.

\`npm run bench:peers -- --node 22,24 --rounds 50\` repeats it, and writes this page.

## What grows

![CPU time for each service, hook, record, connection and stream, by how many there are](images/growth.svg)

The picture is of \`npm run bench:growth\`: what one more costs where many are there already. Bars of one length are growth in proportion. The start of 3,000 services is not: two thirds of it are listeners of [avvio](https://github.com/fastify/avvio), which loads the plugins of Fastify, and removes them one by one. The same holds for as many routes by hand.

## What it does not say

- An application has a database, and most of its time goes there. What a framework costs beside it is a few microseconds.
- A difference below a fifth is none here: two processes of the same program differ as much. What counts instructions in place of time, with pages, streams, guards and hooks, is in [counted work](benchmarks-counted.md).
- The time has the part of the kernel. A write wakes the client where it sleeps, which is oftener so where a server takes longer: between machines, where nobody is woken, differences are smaller.
- The sides do different things besides: a service has hooks, events, errors in one format and 405 for what it lacks, which the routes by hand have not.
- Nothing is validated, but for the input of tRPC and oRPC: they read it by a schema, here of zod.
`
}
