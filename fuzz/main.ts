import { parseArgs } from 'node:util'
import { search } from './search.js'

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, case: { type: 'string' } },
  allowPositionals: true
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const seconds = Number(positionals[0] ?? 20)
const [first = 0, last = first] = (values.case ?? '').split('-').map(Number)
if (!Number.isSafeInteger(seed) || !(seconds > 0) || !(last >= first))
  throw new Error('npm run fuzz -- [seconds] [--seed <number>] [--case <number> | <number>-<number>]')

console.log(`Seed ${seed}`)
const only = values.case === undefined ? undefined : ([first, last] as const)
const { connections, statuses, finds } = await search(seed, seconds * 1000, only)
const answers = [...statuses].sort(([left], [right]) => left - right).map(([status, count]) => `${count} × ${status}`)
console.log(`${connections} connections, answered by ${answers.join(', ')}`)
// Parts of a case are very long: its number makes the whole again.
const short = (text: string) => (text.length > 3000 ? `${text.slice(0, 3000)}…` : text)
for (const { what, text, replay } of finds)
  console.log(`\n${short(what)}\nSent: ${short(text)}\nAgain: npm run fuzz -- --seed ${seed} ${replay}`)
console.log(finds.length === 0 ? 'Fuzz: nothing found' : `Fuzz: ${finds.length} found`)
process.exitCode = finds.length === 0 ? 0 : 1
