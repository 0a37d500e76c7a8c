import { MemoryService } from '@feathersjs/memory'
import t from 'tap'
import { adapterContract } from '../support/adapter-contract.js'

await adapterContract(t, {
  name: '@feathersjs/memory',
  create: async (_t, options) => new MemoryService({ startId: 1, ...options })
})
