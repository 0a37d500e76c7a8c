import Fastify from 'fastify'
import services, { idempotency, type Store } from 'fastify-services'
import t from 'tap'
import { eventually } from '../support/eventually.js'

t.test('of keys that a store may take later, so many are looked for again at a time', async (t) => {
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  for (const isClaimed of [false, true]) {
    let isAway = true
    const looked = new Set<string>()
    const fail = () => {
      throw new Error('The store is away')
    }
    const store: Store = {
      get: (key) => {
        if (isAway) fail()
        looked.add(key)
        return undefined
      },
      set: () => (isAway ? fail() : undefined),
      add: () => isClaimed || fail()
    }
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { html: false, logger: false } })
    app.service('orders', { create: async () => ({}) }, { hooks: { around: { all: [idempotency({ store })] } } })
    for (let key = 0; key < 1010; key++)
      await app.inject({ method: 'POST', url: '/orders', payload: {}, headers: { 'idempotency-key': String(key) } })
    isAway = false
    await eventually(t).equal(async () => looked.size, 1000)
  }
})
