// Imports the package, collects all garbage, and tells of the objects of `process.nextTick` what is left, and whether later ones are of their
// hidden class. Needs --expose-gc and --allow-natives-syntax.
import { createHook, executionAsyncResource } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'

const ticks: WeakRef<object>[] = []
const hook = createHook({
  init(_id, type, _trigger, resource) {
    if (type === 'TickObject') ticks.push(new WeakRef(resource))
  }
}).enable()
if (process.argv[2] !== undefined) await import(process.argv[2])
process.nextTick(() => {})
await setTimeout(1)
hook.disable()

const collect = globalThis.gc as () => void
for (let i = 0; i < 3; i++) {
  await setTimeout(1)
  collect()
}
const left = ticks.map((tick) => tick.deref()).filter((tick) => tick !== undefined)
const later = await new Promise<object>((resolve) => process.nextTick(() => resolve(executionAsyncResource())))
// The parser knows no natives.
const isSameClass = new Function('one', 'other', 'return %HaveSameMap(one, other)')
console.log(JSON.stringify({ areThere: ticks.length > 0, left: left.map((tick) => isSameClass(tick, later)) }))
