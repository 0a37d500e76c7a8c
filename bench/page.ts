import type { Counter } from './counters/counter.js'
import type { Options } from './options.js'
import { countsOf, environment, type Result, toComparison } from './report.js'
import type { Row } from './rows.js'

/** The page `docs/benchmarks-counted.md`. */
export function toPage(rows: readonly Row[], results: readonly Result[], counter: Counter, options: Options): string {
  const { starts, requests = counter.requests, warmup = counter.warmup } = options
  const spread = Math.max(...results.map((result) => result.spread))
  return `# Counted work

The output of \`npm run bench\`, on ${new Date().toISOString().slice(0, 10)}. It compares services of this plugin with routes of Fastify that are written by hand
(with \`qs\` as the query parser), with \`@feathersjs/koa\`, \`@feathersjs/express\` and bare \`node:http\`. All answer the same bytes over a socket.

- Counted: ${counter.what}.
- Medians of ${starts} ${starts === 1 ? 'start' : 'starts'}, each with ${warmup} requests of warm-up and ${requests} that are counted (heavy work: fewer). The two halves of a count differ by ${(100 * spread).toFixed(1)} % at most.
- State: \`process.nextTick\` is optimised in all of them, except in the rows "after an early full collection", where the collector runs before, as it does in a server
  that is idle after its start.
- Machine and versions: ${environment()}.

## Compared

A ratio above 1 says that the first of the two takes more. Thousands are instructions.

${toComparison(rows, results)}

## What was counted

${results.map((result) => `### Node ${result.version}, ${counter.unit} per request or call\n\n${countsOf(result)}`).join('\n\n')}
`
}
