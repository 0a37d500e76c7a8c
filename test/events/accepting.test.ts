import t from 'tap'
import { memory, startEvents } from '../support/events-app.js'

const jsonType = 'application/json; charset=utf-8'
const streamType = 'text/event-stream'

const accepted: readonly (readonly [accept: string, type: string])[] = [
  ['application/json', jsonType],
  ['*/*', jsonType],
  ['text/*', jsonType],
  ['text/event-streamx', jsonType],
  ['text/event-stream;version=2', jsonType],
  ['xtext/event-stream', jsonType],
  ['application/json;x="a, b", */*', jsonType],
  ['application/json, text/event-stream;q=0', jsonType],
  ['*/*, text/event-stream;q=0', jsonType],
  ['text/event-stream;q=0.1, application/json;q=0.2', jsonType],
  ['*/*, text/event-stream;q=0.5', jsonType],
  ['application/json, text/event-stream', jsonType],
  ['text/event-stream', streamType],
  ['TEXT/Event-Stream', streamType],
  ['text/event-stream, application/json', streamType],
  ['application/json;q=0.5 , text/event-stream', streamType],
  ['*/*, text/event-stream', streamType]
]

t.test('a list is answered with its events where `Accept` names them, and prefers them to JSON', async (t) => {
  const { subscribe, call } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true }
  })
  for (const [accept, type] of accepted) {
    const { head } = await subscribe('/notes', { accept }).until(({ head }) => head !== '')
    const [, answered] = /^content-type: (.*)\r$/im.exec(head) ?? []
    t.equal(answered, type, accept)
    t.match(head, /^vary: Accept\r$/im, 'caches keep both')
  }
  const { statusCode, body } = await call('GET', '/notes/1', undefined, { accept: 'TEXT/EVENT-STREAM' })
  t.match([statusCode, JSON.parse(body)], [404, { name: 'NotFound' }], 'errors are JSON for who accepts events')
})
