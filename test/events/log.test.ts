import t from 'tap'
import { memoryLog } from '../../lib/events/index.js'
import { logContract, loggedEvent } from '../support/log-contract.js'

t.test('a misspelt option of the log in memory is refused, and what is no number', async (t) => {
  t.throws(() => memoryLog({ event: 10 } as object), {
    message: "memoryLog() has no option 'event'. There are: events, bytes. Did you mean 'events'?"
  })
  t.throws(() => memoryLog({ bytes: '8 MiB' as never }), {
    message: 'The option `bytes` of memoryLog() must be a number from 0, got a string'
  })
})

t.test('the log in memory is a log', (t) => logContract(t, (events) => memoryLog({ events })))

t.test('it keeps so many bytes, and forgets when it is told to', async (t) => {
  const log = memoryLog({ bytes: 10_000 })
  const begin = log.newest()
  for (let id = 1; id <= 50; id++) log.append(loggedEvent(id, { text: 'x'.repeat(200) }))
  t.equal(log.read(begin), undefined)
  const end = log.newest()
  t.same(log.read(end), [])
  log.append(loggedEvent(1, { text: 'x'.repeat(20_000) }))
  t.equal(log.read(end), undefined, 'what is longer than all of it is not kept')
  log.append(loggedEvent(2))
  const before = log.newest()
  log.lose?.()
  t.equal(log.read(before), undefined)
  t.same(log.read(log.newest()), [])
})

t.test('a log in memory forgets nothing that its bytes allow', async (t) => {
  const log = memoryLog()
  const begin = log.newest()
  for (let id = 1; id <= 1000; id++) log.append(loggedEvent(id))
  t.equal((await log.read(begin))?.length, 1000)
})
