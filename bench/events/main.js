// npm run bench:events: what streams of events cost the process of the server. CPU time, in rounds of shuffled order; no seconds of a clock but for the requests beside.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    subscribers: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' }
  }
})
const [subscribers, seconds, rounds] = ['subscribers', 'seconds', 'rounds'].map((name) => {
  const number = Number(values[name])
  assert(Number.isInteger(number) && number > 0, `--${name} is a whole number above 0`)
  return number
})

const child = fork(fileURLToPath(new URL('server.js', import.meta.url)), [], {
  execArgv: ['--expose-gc'],
  env: { ...process.env, NODE_ENV: 'production' }
})
const [port] = await once(child, 'message')
async function ask(name, value) {
  child.send([name, value])
  const [answer] = await once(child, 'message')
  return answer
}

let frames = 0
const sockets = []
/** Opens streams until there are so many. @param queryOf the query of the list of a subscriber, by its number */
async function open(number, queryOf) {
  for (const socket of sockets.splice(0)) socket.destroy()
  while ((await ask('streams')) > 0) await setTimeout(20)
  for (let i = 0; i < number; i++) {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `GET /events?subscribe[0][path]=notes${queryOf(i)} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n`
    )
    socket.setEncoding('latin1').on('data', (text) => {
      frames += text.split('"event":"patched"').length - 1
    })
    sockets.push(socket)
    if (i % 50 === 49) await setTimeout(20)
  }
  while ((await ask('streams')) < number) await setTimeout(20)
  await setTimeout(500)
}

const all = () => ''
const byKind = (i) => `&subscribe[0][query][kind]=k${i % 100}`
const scenes = [
  { name: 'no stream, 10 changes a second', streams: 0, queryOf: all, changes: 10 },
  { name: `${subscribers} streams, no change`, streams: subscribers, queryOf: all, changes: 0 },
  {
    name: `${subscribers / 10} streams, 10 changes a second for each`,
    streams: subscribers / 10,
    queryOf: all,
    changes: 10
  },
  { name: `${subscribers} streams, 10 changes a second for each`, streams: subscribers, queryOf: all, changes: 10 },
  { name: 'no stream, 100 changes a second', streams: 0, queryOf: all, changes: 100 },
  {
    name: `${subscribers} streams, 100 changes a second, each for ${subscribers / 100}`,
    streams: subscribers,
    queryOf: byKind,
    changes: 100
  }
]

/** Asks for a note 100 times a second. @returns the times of the answers in ms */
async function requestBeside(signal) {
  const agent = new Agent({ keepAlive: true })
  const times = []
  const pending = new Set()
  while (!signal.aborted) {
    const begin = performance.now()
    const request = get({ host: '127.0.0.1', port, path: '/notes/1', agent })
    const answered = once(request, 'response').then(([response]) => once(response.resume(), 'end'))
    pending.add(answered.then(() => times.push(performance.now() - begin)))
    await setTimeout(10)
  }
  await Promise.all(pending)
  agent.destroy()
  return times
}

/** @returns the CPU time of the server in ms a second, with and without requests beside, and how long those took */
async function measure({ streams, queryOf, changes }) {
  await open(streams, queryOf)
  await ask('change', changes)
  await setTimeout(500)
  const cpuOf = async (run) => {
    const [begin, before] = [performance.now(), await ask('cpu')]
    const result = await run()
    return [((await ask('cpu')) - before) / (performance.now() - begin), result]
  }
  frames = 0
  const [cpu] = await cpuOf(() => setTimeout(seconds * 1000))
  const heard = frames / seconds
  const [withRequests, times] = await cpuOf(() => requestBeside(AbortSignal.timeout(seconds * 1000)))
  await ask('change', 0)
  return { cpu, heard, rest: withRequests - cpu, times }
}

const empty = await ask('memory')
await open(subscribers, all)
const filled = await ask('memory')
console.log(`${Math.round((filled - empty) / subscribers / 1024)} KiB of memory a stream`)

const results = new Map(scenes.map((scene) => [scene, []]))
for (let round = 0; round < rounds; round++)
  for (const scene of scenes.toSorted(() => Math.random() - 0.5)) results.get(scene).push(await measure(scene))

const least = (numbers) => Math.min(...numbers)
const quantile = (numbers, part) =>
  numbers.toSorted((first, second) => first - second)[Math.floor(numbers.length * part)]
console.log(
  '\n| | CPU, ms a second | frames a second | 100 requests beside: CPU, ms | p50, ms | p99, ms |\n|---|---|---|---|---|---|'
)
for (const [{ name }, measured] of results) {
  const times = measured.flatMap((result) => result.times)
  const numbers = [
    least(measured.map(({ cpu }) => cpu)).toFixed(1),
    Math.round(measured[0].heard),
    least(measured.map(({ rest }) => rest)).toFixed(1),
    quantile(times, 0.5).toFixed(1),
    quantile(times, 0.99).toFixed(1)
  ]
  console.log(`| ${[name, ...numbers].join(' | ')} |`)
}
for (const socket of sockets) socket.destroy()
child.disconnect()
