// npm run bench: what a request costs routes by hand and services, in servers that do all works.
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { type Cost, measure } from './measure.js'
import { findNodes } from './nodes.js'
import { toList } from './profile.js'
import { workOf, works } from './works.js'

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: '20,24' },
    only: { type: 'string', default: Object.keys(works).join() },
    warmup: { type: 'string', default: '3000' },
    requests: { type: 'string', default: '100' },
    /** How many other services the third server has. */
    others: { type: 'string', default: '1500' },
    profile: { type: 'string' },
    /** Fails if a work costs 5 % more than it did. */
    hold: { type: 'boolean', default: false }
  }
})
const [warmup, requests, others] = [values.warmup, values.requests, values.others].map(Number) as [
  number,
  number,
  number
]
const names = values.only.split(',')
for (const name of [...names, values.profile ?? 'get']) workOf(name)
const tolerance = 1.05
const losses: string[] = []

for (const { program: node, version } of await findNodes(values.node.split(','))) {
  const settings = { node, warmup, requests, profile: values.profile }
  const [byHand, ours, many] = await Promise.all([
    measure({ ...settings, side: 'by-hand', others: 0, names }),
    measure({ ...settings, side: 'ours', others: 0, names }),
    measure({ ...settings, side: 'ours', others, names: ['guarded'] })
  ])
  const [major = ''] = version.split('.')
  console.log(`\nNode ${version}: thousand instructions and kB allocated, for one request\n`)
  print(['work', 'by hand', 'ours', 'by hand ÷ ours', 'wanted', 'held', 'kB by hand', 'kB ours'])
  print(Array.from({ length: 8 }, () => '---'))
  for (const name of names) {
    const [hand, own] = [byHand.costs.get(name), ours.costs.get(name)] as [Cost, Cost]
    // Nobody wins by answering less.
    assert.equal(own.body, hand.body, `The servers answer '${name}' differently`)
    const { text, wanted, held: { [major]: held } = {} } = workOf(name)
    const ratio = hand.instructions / own.instructions
    if (held !== undefined && ratio * tolerance < held)
      losses.push(`${text}, Node ${version}: by hand ÷ ours is ${ratio.toFixed(3)}, and was ${held}`)
    const counts = [hand, own].map(({ instructions }) => (instructions / 1000).toFixed(1))
    const memory = [hand, own].map(({ allocated }) => (allocated / 1000).toFixed(1))
    print([text, ...counts, ratio.toFixed(2), wanted ?? '', held ?? '', ...memory])
  }
  const [few, more] = [ours, many].map(({ costs }) => costs.get('guarded')?.instructions) as [number, number]
  if (few !== undefined) {
    console.log(`\nA guarded get among ${others} services takes ${(more / few).toFixed(2)} times as many instructions.`)
    if (more > few * tolerance) losses.push(`A guarded get costs more among ${others} services`)
  }
  if (byHand.functions && ours.functions) console.log(`\n${toList(ours.functions, byHand.functions, requests)}`)
}

if (values.hold) assert.deepEqual(losses, [])

function print(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(' | ')} |`)
}
