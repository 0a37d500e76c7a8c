import { performance } from 'node:perf_hooks'
import t from 'tap'
import { Child } from '../support/child.js'
import { overHttp1 } from './exchange.js'

const queries = ['a[]=b&a[length]=1000000000', 'a[]=b&a[1000000000]=c', 'a[0]=b&a[4294967294]=c']

t.test('`a[]=b&a[length]=1000000000`: answered within 5 ms of a plain query', async (t) => {
  const child = new Child('../faults/server/main.js')
  t.teardown(() => child.stop())
  await child.start()
  // The quickest of many is what the work takes, whatever else the machine does.
  const quickest = async (query: string) => {
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < 40; round++) {
      const start = performance.now()
      const { status } = await overHttp1(child.port, { target: `/things?${query}` }, async () => {})
      if (status !== 200) t.fail(`${query}: ${status}`)
      best = Math.min(best, performance.now() - start)
    }
    return best
  }
  for (const query of queries) {
    const plain = await quickest('a[]=b&a[c]=d')
    const hostile = await quickest(query)
    t.ok(hostile < plain + 5, `${query}: ${hostile} ms, ${plain} ms for a plain one`)
  }
})
