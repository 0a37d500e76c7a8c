import t, { type Test } from 'tap'
import { Child } from '../support/child.js'
import { type Fault, faults, pathOf } from '../support/faults.js'

async function check(t: Test, child: Child, { status, place, verb, abort }: Fault, index: number) {
  const answer = await child.ask(verb ?? 'GET', `/${pathOf(place ?? 'a method')}/${index}`, abort)
  if (status === 'none') return
  if (status === 'any') return t.not(answer.status, 0, 'there is an answer')
  // A stream that fails before its first chunk has left is still answered as an error.
  if (status === 'ends' && answer.status === 500) return t.match(JSON.parse(answer.body), { name: 'GeneralError' })
  if (status === 'ends') {
    t.equal(answer.status, 200)
    t.notOk(answer.body.endsWith('0\r\n\r\n'), 'the body is cut off')
    return
  }
  t.equal(answer.status, status)
  if (verb === 'HEAD') t.equal(answer.body, '')
  if (status < 500) return
  const name = status === 500 ? 'GeneralError' : 'Unavailable'
  t.match(JSON.parse(answer.body || '{}'), { name, message: String, code: status, className: String })
  t.notMatch(answer.head, /set-cookie|owned/i, 'nothing injected')
}

for (const host of ['plain', 'late']) {
  t.test(`results and errors, on a ${host} host: the process lives, the next plain \`GET\` answers 200`, async (t) => {
    const child = new Child('fault-server.js', host)
    t.teardown(() => child.stop())
    for (const [index, fault] of faults.entries()) {
      await t.test(fault.row, async (t) => {
        await child.start()
        await check(t, child, fault, index)
        const next = await child.ask('GET', '/alive')
        t.equal(next.status, 200, 'the next plain GET answers 200')
        t.equal(next.body, '{"polluted":"undefined"}')
        t.ok(child.alive, 'the process lives')
        if (next.status !== 200) await child.kill()
      })
    }
  })
}
