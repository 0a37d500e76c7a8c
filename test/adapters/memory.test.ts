import { MemoryService } from '@feathersjs/memory'
import { type MemoryOptions, memory } from 'fastify-services/memory'
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
  create: async (_t, options) => memory(options as MemoryOptions)
})

t.test('fastify-services/memory: queries of resource()', (t) => resourceContract(t, memory(), { comparesItems: true }))
