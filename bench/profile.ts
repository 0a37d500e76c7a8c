import { mkdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Case, verify } from './cases.js'
import { startServer } from './child.js'
import { drive } from './load.js'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Writes a CPU profile of one server under one case (Chromium's DevTools open it), and prints the functions that cost most. */
export async function profile(name: string, work: Case, warmup: number, requests: number): Promise<void> {
  const folder = new URL('./profiles/', import.meta.url)
  const file = fileURLToPath(new URL(`${name}-${work.name}.cpuprofile`, folder))
  await mkdir(folder, { recursive: true })
  const server = await startServer(name)
  await verify(work, [server])
  await drive(server.port, work, warmup)
  await server.startProfile()
  await drive(server.port, work, requests)
  await server.writeProfile(file)
  server.stop()
  console.log(`\n${name} ${work.name}: ${file}`)
  console.table(costs(JSON.parse(await readFile(file, 'utf8')), requests).slice(0, 40))
}

/** The functions by their own time, in microseconds per request. It is time by the clock: a call to the kernel may hold a wait. */
function costs({ nodes, samples, timeDeltas }: Profile, requests: number): object[] {
  const labels = new Map(nodes.map(({ id, callFrame }) => [id, label(callFrame)]))
  const own = new Map<string, number>()
  samples.forEach((id, index) => {
    const name = labels.get(id) as string
    own.set(name, (own.get(name) ?? 0) + (timeDeltas[index] as number))
  })
  return [...own]
    .filter(([name]) => name !== '(idle)')
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, time]) => ({ function: name, 'µs/request': Number((time / requests).toFixed(2)) }))
}

function label({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const place = url.replace(/^.*\/(node_modules|dist)\//, '')
  return place === '' ? functionName : `${functionName || 'anonymous'} ${place}:${lineNumber + 1}`
}
