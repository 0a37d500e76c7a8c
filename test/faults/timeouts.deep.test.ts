import t, { type Test } from 'tap'
import { type Row, runRows } from './runner.js'
import { signals, waitPath, waits } from './server/never.js'

const verbs = ['GET', 'HEAD'] as const

const rows: Row[] = [
  ...Object.keys(waits).flatMap((place) =>
    verbs.map(
      (verb): Row => ({
        row: `${verb} where ${place} never settles: \`handlerTimeout\` answers 503, others go on`,
        request: { verb, target: `/${waitPath('waits', place)}` },
        // The head of a stream is sent without its items.
        expected: { status: verb === 'HEAD' && place.startsWith('a stream') ? [200, 503] : 503 }
      })
    )
  ),
  ...Object.keys(waits).map(
    (place): Row => ({
      row: `the client leaves at once where ${place} never settles`,
      request: { target: `/${waitPath('waits', place)}`, leaves: 'at once' },
      expected: { status: 0 }
    })
  ),
  ...Object.keys(signals).flatMap((place): Row[] => {
    const calls = [{ method: 'aborted', id: 'by an error' }]
    return [
      {
        row: `\`params.signal\` tells ${place} of a timeout`,
        request: { target: `/${waitPath('signals', place)}` },
        expected: { status: 503, calls }
      },
      {
        row: `\`params.signal\` tells ${place} that the client has left`,
        request: { target: `/${waitPath('signals', place).replace('late/', 'patient/')}`, leaves: 'told' },
        expected: { status: 0, calls }
      }
    ]
  }),
  {
    row: 'a call whose client has left before its method ran does not run it',
    request: { target: '/left/before', leaves: 'told' },
    expected: { status: 0, calls: [] }
  },
  {
    row: 'a call that has run out of time before its method ran does not run it',
    request: { target: '/late/before' },
    expected: { status: 503, calls: [] }
  },
  ...['?signal=x', '?signal[aborted]=true', '?params[signal]=1'].map(
    (query): Row => ({
      row: `\`params.signal\` is never taken from the client: ${query}`,
      request: { target: `/signal${query}`, headers: { Signal: 'x' } },
      expected: { status: 200, body: { isSignal: true }, calls: [{ method: 'run' }] }
    })
  ),
  {
    row: '`params.signal` is never taken from the client: a body',
    request: {
      verb: 'POST',
      target: '/signal',
      headers: { 'Content-Type': 'application/json' },
      body: '{"signal":{"aborted":true}}'
    },
    expected: { status: 201, body: { isSignal: true }, calls: [{ method: 'run' }] }
  }
]

t.test('what never settles', (t) => runRows(t as Test, rows, { room: 'never' }))
t.test('what never settles, by HTTP/2', (t) => runRows(t as Test, rows, { room: 'never', http2: true }))
t.test('what never settles, on a host with hooks of its own', (t) =>
  runRows(
    t as Test,
    rows.filter(({ request }) => request.target.includes('/waits/')),
    { room: 'never', late: true }
  )
)
