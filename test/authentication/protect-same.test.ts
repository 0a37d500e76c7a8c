import t from 'tap'
import { without } from '../../lib/authentication/without.js'
import { open, record } from '../support/auth-passwords-protect.js'

const at = new Date(0)

t.test('protect: a shared record, and one within itself', async (t) => {
  const shared = { one: record() }
  t.strictSame(without({ a: shared, b: [shared] }, ['secret', 'pin']), { a: { one: open() }, b: [{ one: open() }] })
  const cycle = { ...record(), list: [] as unknown[], other: {} }
  cycle.list.push(cycle, cycle.list)
  cycle.other = { cycle }
  const cleaned = without({ cycle }, ['secret', 'pin']) as { cycle: typeof cycle }
  t.strictSame(Object.keys(cleaned.cycle), ['id', 'name', 'list', 'other'])
  t.equal(cleaned.cycle.list[0], cleaned.cycle)
  t.equal(cleaned.cycle.list[1], cleaned.cycle.list)
  t.equal((cleaned.cycle.other as typeof cleaned).cycle, cleaned.cycle)
  t.equal(cycle.secret, 's3cret', 'what was given is not changed')
  let laughs: unknown = record()
  for (let level = 0; level < 60; level++) laughs = [laughs, laughs]
  let inner = without(laughs, ['secret', 'pin'])
  while (Array.isArray(inner)) inner = inner[1]
  t.strictSame(inner, open(), 'each is looked at once')
})

t.test('protect: what has none of the fields stays the object that it is', async (t) => {
  const address = { city: 'Lagos', since: at }
  for (const given of [open(), [open()], { data: [open()], at }, at, Buffer.from('a'), 'secret', null, 5n, Number.NaN])
    t.ok(Object.is(without(given, ['secret']), given))
  const cleaned = without({ ...record(), address, at }, ['secret', 'pin']) as { address: unknown; at: unknown }
  t.equal(cleaned.address, address)
  t.equal(cleaned.at, at)
})
