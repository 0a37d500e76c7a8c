// npm run bench:growth: what one more costs where many are there already: services, hooks, records, connections, streams. CPU time of the server, in
// rounds of shuffled order. What grows in proportion costs as much for each at every size.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { open, send, shuffle } from '../sockets.js'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '20000' },
    most: { type: 'string', default: '10000' }
  }
})
const [rounds, requests, most] = ['rounds', 'requests', 'most'].map((name) => {
  const number = Number(values[name])
  assert(Number.isInteger(number) && number > 0, `--${name} is a whole number above 0`)
  return number
})

const get = { line: 'GET /many-0/1', status: 200 }
const page = { line: 'GET /many-0', status: 200 }
const create = (size) => ({
  line: 'POST /many-0',
  status: 201,
  body: JSON.stringify(Array.from({ length: size }, (_, id) => ({ id, text: `Record ${id}`, status: 'open' })))
})
const patch = { line: 'PATCH /many-0/1', status: 200, body: '{"text":"A note"}' }

/** What grows. The CPU time of `count` requests is divided by what `per` says, less that of the size `base`. */
const series = [
  { kind: 'services', title: 'the start, for each service', sizes: [100, 1000, 3000], isStart: true },
  { kind: 'services', title: 'a get, among so many services', sizes: [1, 10, 100, 1000], requestOf: () => get },
  { kind: 'hooks', title: 'a get, for each around hook', sizes: [10, 100, 1000], base: 0, requestOf: () => get },
  { kind: 'pages', title: 'a page, for each record', sizes: [10, 100, 1000, 10_000], base: 0, requestOf: () => page },
  { kind: 'batches', title: 'a batch, for each record', sizes: [10, 100, 1000, 10_000], base: 0, requestOf: create },
  { kind: 'connections', title: 'a get, over so many connections', sizes: [10, 100, 1000], requestOf: () => get },
  { kind: 'streams', title: 'a change, for each stream', sizes: [10, 100, 1000], base: 0, requestOf: () => patch }
].map((item) => ({ ...item, sizes: item.sizes.filter((size) => size <= most) }))

/** @returns the CPU time in µs of one request, or of the start */
async function measure({ kind, isStart, requestOf }, size) {
  const child = fork(fileURLToPath(new URL('side.js', import.meta.url)), [kind, size], {
    env: { ...process.env, NODE_ENV: 'production' }
  })
  const [port] = await once(child, 'message')
  const ask = async (question) => {
    child.send(question)
    return (await once(child, 'message'))[0]
  }
  const finish = async (value) => {
    child.disconnect()
    await once(child, 'exit')
    return value
  }
  if (isStart) return finish(await ask('started'))
  const streams = kind === 'streams' ? await listen(port, size, () => ask('streams')) : undefined
  const connections = kind === 'connections' ? size : 16
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const isLarge = ['pages', 'batches', 'streams', 'hooks'].includes(kind)
  const count = Math.max(Math.ceil(requests / (isLarge ? Math.max(1, size / 10) : 1)), 20)
  await send(sockets, requestOf(size), count)
  await streams?.heard(count)
  const before = await ask('cpu')
  await send(sockets, requestOf(size), count)
  await streams?.heard(2 * count)
  const cpu = ((await ask('cpu')) - before) / count
  for (const socket of sockets) socket.destroy()
  streams?.close()
  return finish(cpu)
}

/** Opens so many streams. `heard` waits until each has heard of so many changes. */
async function listen(port, size, countOf) {
  let frames = 0
  const sockets = await Promise.all(Array.from({ length: size }, () => open(port)))
  for (const socket of sockets) {
    socket.on('data', (text) => {
      frames += text.split('"event":"patched"').length - 1
    })
    socket.write(
      'GET /events?subscribe[0][path]=many-0 HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n'
    )
  }
  while ((await countOf()) < size) await setTimeout(20)
  return {
    async heard(changes) {
      while (frames < changes * size) await setTimeout(5)
    },
    close() {
      for (const socket of sockets) socket.destroy()
    }
  }
}

const jobs = series.flatMap((item) =>
  [...(item.base === undefined ? [] : [item.base]), ...item.sizes].map((size) => [item, size])
)
const lowest = new Map(series.map((item) => [item, new Map()]))
for (let round = 0; round < rounds; round++) {
  console.error(`round ${round + 1} of ${rounds}`)
  for (const [item, size] of shuffle([...jobs])) {
    const times = lowest.get(item)
    times.set(size, Math.min(await measure(item, size), times.get(size) ?? Number.POSITIVE_INFINITY))
  }
}

const results = series.map((item) => {
  const times = lowest.get(item)
  const isEach = item.isStart || item.base !== undefined
  const costOf = (size) => (times.get(size) - (times.get(item.base) ?? 0)) / (isEach ? size : 1)
  return { title: item.title, bars: item.sizes.map((size) => ({ size, value: costOf(size) })) }
})
for (const { title, bars } of results)
  console.log(
    `${title}: ${bars.map(({ size, value }) => `${size.toLocaleString('en')}: ${value.toFixed(2)} µs`).join(', ')}`
  )
