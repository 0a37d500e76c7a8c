// npm run bench:lists: live lists of our client on one PostgreSQL, while one record changes each second: how long the requests of a page take beside them, and what the server and the database do.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { events } from '../../dist/lib/client/events/index.js'
import { createClient, rest } from '../../dist/lib/client/index.js'

const { values } = parseArgs({
  options: { lists: { type: 'string', default: '1000' }, seconds: { type: 'string', default: '20' } }
})
const [count, seconds] = ['lists', 'seconds'].map((name) => {
  const number = Number(values[name])
  assert(Number.isInteger(number) && number > 0, `--${name} is a whole number above 0`)
  return number
})
const { TEST_DATABASE_URL } = process.env
assert(TEST_DATABASE_URL, 'npm run bench:lists needs a PostgreSQL: TEST_DATABASE_URL=postgres://…')

const child = fork(fileURLToPath(new URL('server.js', import.meta.url)), [], {
  execArgv: ['--expose-gc'],
  env: { ...process.env, NODE_ENV: 'production', DATABASE_URL: TEST_DATABASE_URL }
})
const [port] = await once(child, 'message')
async function ask(name, value) {
  child.send([name, value])
  const [answer] = await once(child, 'message')
  return answer
}

const agent = new Agent({ keepAlive: true })

/** Asks for a note 50 times a second. @returns the times of the answers in ms */
async function requestBeside() {
  const times = []
  const pending = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const begin = performance.now()
    const request = get({ host: '127.0.0.1', port, path: `/notes/${1 + (pending.length % 100)}`, agent })
    const answered = once(request, 'response').then(([response]) => once(response.resume(), 'end'))
    pending.push(answered.then(() => times.push(performance.now() - begin)))
    await setTimeout(20)
  }
  await Promise.all(pending)
  return times
}

let reads = 0
const clients = []

/** Opens live lists, each of a client with a stream of its own. */
async function openLists() {
  const url = `http://127.0.0.1:${port}`
  for (let number = 0; number < count; number++) {
    const client = createClient()
      .configure(rest(url).fetch((...args) => fetch(...args)))
      .configure(events())
    client.service('notes').hooks({ after: { find: [() => void reads++] } })
    // All lists show the notes that change.
    client
      .service('notes')
      .live({ query: { $sort: { id: 1 }, $limit: 10 } })
      .subscribe(() => {})
    clients.push(client)
    if (number % 20 === 19) await setTimeout(50)
  }
  while ((await ask('streams')) < count) await setTimeout(100)
  await setTimeout(2000)
}

async function measure() {
  reads = 0
  const [begin, before] = [performance.now(), await ask('cpu')]
  const times = await requestBeside()
  const cpu = ((await ask('cpu')) - before) / (performance.now() - begin)
  return { cpu, times, finds: reads / seconds }
}

const quantile = (numbers, part) =>
  numbers.toSorted((first, second) => first - second)[Math.floor(numbers.length * part)]

console.log('| | finds a second | CPU of the server, ms a second | 50 requests beside: p50, ms | p99, ms |')
console.log('|---|---|---|---|---|')
function print(name, { cpu, times, finds }) {
  const numbers = [
    Math.round(finds),
    Math.round(cpu),
    quantile(times, 0.5).toFixed(1),
    quantile(times, 0.99).toFixed(1)
  ]
  console.log(`| ${[name, ...numbers].join(' | ')} |`)
}
await ask('changeFirst', 1)
print('no list, one change a second', await measure())
await ask('changeFirst', 0)
await openLists()
print(`${count} live lists, no change`, await measure())
await ask('changeFirst', 1)
await setTimeout(2000)
print(`${count} live lists, one change a second that concerns all`, await measure())
for (const client of clients) client.events.close()
agent.destroy()
child.disconnect()
