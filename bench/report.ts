import { createRequire } from 'node:module'
import { availableParallelism, cpus } from 'node:os'

/** What one round has measured for one server and one case. */
export interface Sample {
  /** Requests per second. */
  readonly rate: number
  /** CPU time of the server per request, in microseconds. */
  readonly cpu: number
}

export type Results = ReadonlyMap<string, ReadonlyMap<string, readonly Sample[]>>

/** The table of one case: medians over the rounds, and the medians of the ratios within each round. Above 1 is better. */
export function table(
  results: ReadonlyMap<string, readonly Sample[]>,
  rivals: readonly string[]
): Record<string, object> {
  const against = rivals.filter((rival) => results.has(rival))
  const row = (samples: readonly Sample[]) => ({
    'requests/s': Math.round(median(samples.map(({ rate }) => rate))),
    'CPU µs/request': round(median(samples.map(({ cpu }) => cpu)), 1),
    ...Object.fromEntries(
      against.flatMap((rival) => {
        const others = results.get(rival) as readonly Sample[]
        const ratio = (of: (own: Sample, other: Sample) => number) =>
          round(median(samples.map((own, i) => of(own, others[i] as Sample))), 2)
        return [
          [`CPU × ${rival}`, ratio((own, other) => other.cpu / own.cpu)],
          [`requests/s × ${rival}`, ratio((own, other) => own.rate / other.rate)]
        ]
      })
    )
  })
  return Object.fromEntries([...results].map(([name, samples]) => [name, row(samples)]))
}

/** What was measured, and on what. */
export function environment(): string {
  const require = createRequire(import.meta.url)
  const names = ['fastify', 'fastify-services', 'qs', '@feathersjs/koa', 'koa', '@feathersjs/express', 'express']
  const versions = names.map((name) => `${name} ${require(`${name}/package.json`).version}`)
  return `node ${process.versions.node}, ${versions.join(', ')}\n${availableParallelism()} × ${cpus()[0]?.model}`
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2
}

const round = (value: number, digits: number) => Number(value.toFixed(digits))
