import { MemoryService } from '@feathersjs/memory'
import t from 'tap'
import { adapterContract } from '../support/adapter-contract.js'
import { resourceContract } from '../support/adapter-resource.js'

await adapterContract(t, {
  name: '@feathersjs/memory',
  create: async (_t, options) => new MemoryService({ startId: 1, ...options })
})

t.test('@feathersjs/memory: queries of resource()', (t) =>
  resourceContract(t, new MemoryService({ startId: 1, operators: ['$and'] }), { comparesItems: true })
)
