import { createHook } from 'node:async_hooks'
import t from 'tap'
import { createApp } from '../support/core.js'

/** How many promises are made while a function runs. */
async function promisesOf(run: () => Promise<unknown>): Promise<number> {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') count++
    }
  }).enable()
  await run()
  hook.disable()
  return count
}

t.test('a batch with listeners is not dear: no promise for each record', async (t) => {
  const { app } = await createApp(t)
  const service = app.service('things', { create: async (data: object) => data })
  const batch = Array.from({ length: 1000 }, (_, id) => ({ id }))
  const before = await promisesOf(() => service.create(batch))
  const seen: unknown[] = []
  service.on('created', (record) => void seen.push(record))
  service.once('created', (record) => void seen.push(record))
  const after = await promisesOf(() => service.create(batch))
  t.equal(seen.length, 1001)
  t.ok(after < before + 100, `${after} promises with listeners, ${before} without`)
})
