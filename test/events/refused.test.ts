import t from 'tap'
import { NotAuthenticated } from '../../index.js'
import { memory, startEvents } from '../support/events-app.js'

t.test('a stream whose first list needs a login asks for no others', async (t) => {
  const asked = new Set<string>()
  const guard = (context: { path: string; params: object }) => {
    asked.add(context.path)
    if ('user' in context.params) return
    throw new NotAuthenticated('Who are you?')
  }
  const { call } = await startEvents(
    t,
    (app) => {
      for (const path of ['notes', 'rooms', 'tags'])
        app.service(path, memory(), { hooks: { before: { all: [guard] } } })
    },
    { services: { notes: true, rooms: true, tags: true } }
  )
  const { statusCode, body } = await call(
    'GET',
    '/events?subscribe[0][path]=notes&subscribe[1][path]=rooms&subscribe[2][path]=tags',
    undefined,
    { accept: 'application/json' }
  )
  t.match([statusCode, JSON.parse(body)], [401, { message: 'Who are you?' }])
  t.strictSame([...asked], ['notes'])
  asked.clear()
  t.equal((await call('GET', '/events')).statusCode, 401)
  t.strictSame([...asked], ['notes', 'rooms', 'tags'], 'of all lists, those that the caller may find count')
})
