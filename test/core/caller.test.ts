import t from 'tap'
import { Caller } from '../../lib/core/caller.js'

/** The answer to a request, as far as it is looked at. */
function createRaw() {
  const listeners: (() => void)[] = []
  const raw = {
    destroyed: false,
    writableEnded: false,
    once: (_event: 'close', listener: () => void) => listeners.push(listener)
  }
  const close = () => {
    raw.destroyed = true
    for (const listener of listeners) listener()
  }
  return { raw, close }
}

t.test('a call whose answer somebody else has given is over, also before the connection closes', (t) => {
  const { raw } = createRaw()
  const caller = new Caller({}, raw)
  t.equal(caller.isGone, false)
  raw.writableEnded = true
  t.equal(caller.isGone, true)
  t.match(caller.signal.reason, { name: 'TimeoutError' })
  t.end()
})

t.test('a call that has given its answer is not over before the connection closes, and does not abort', (t) => {
  const { raw, close } = createRaw()
  const caller = new Caller({}, raw)
  const { signal } = caller
  caller.hasAnswered = true
  raw.writableEnded = true
  t.equal(caller.isGone, false)
  close()
  t.equal(signal.aborted, false)
  t.end()
})
