import { MemoryService } from '@feathersjs/memory'
import { memory } from 'fastify-services/memory'
import t from 'tap'
import { adapterContract } from '../support/adapter-contract.js'
import { resourceContract } from '../support/adapter-resource.js'

await adapterContract(t, {
  name: '@feathersjs/memory',
  isOfFeathers: true,
  create: async (_t, options) => new MemoryService({ startId: 1, ...options })
})

t.test('@feathersjs/memory: queries of resource()', (t) =>
  resourceContract(t, new MemoryService({ startId: 1, operators: ['$and'] }), { comparesItems: true })
)

await adapterContract(t, {
  name: 'fastify-services/memory',
  create: async (_t, options) => memory(options)
})

t.test('fastify-services/memory: queries of resource()', (t) => resourceContract(t, memory(), { comparesItems: true }))

t.test('fastify-services/memory: ids of callers', async (t) => {
  const service = memory<{ id: number | string; text: string }>({ multi: true, records: [{ id: 2, text: 'two' }] })
  await t.rejects(service.create({ id: 2, text: 'other' }), { code: 409 })
  await t.rejects(service.create([{ text: 'x' }, { id: '2', text: 'y' }]), { code: 409 })
  t.match(await service.find(), [{ id: 2, text: 'two' }], 'a list is stored as a whole or not at all')
  await service.create([
    { id: Number.MAX_SAFE_INTEGER, text: 'last' },
    { id: '5', text: 'five' }
  ])
  const ids = []
  for (let count = 0; count < 3; count += 1) ids.push((await service.create({ text: 'x' })).id)
  t.equal(new Set([...ids, 2, '5', 5]).size, 6, `each record has its own id: ${ids}`)
})

t.test('fastify-services/memory: lists in records', async (t) => {
  const service = memory<{ id: number; tags: string[] }>({
    records: [{ tags: ['a', 'b'] }, { tags: [] }, { tags: ['b'] }]
  })
  const select = async (tags: unknown) =>
    ((await service.find({ query: { tags } })) as unknown as { id: number }[]).map(({ id }) => id)
  t.strictSame(await select('a'), [1])
  t.strictSame(await select({ $ne: 'a' }), [2, 3])
  t.strictSame(await select({ $nin: ['a'] }), [2, 3])
})
