import t from 'tap'
import { isKept } from '../support/kept.js'
import { type LoginPlay, playAll, type Rows } from './login-play.js'

const ada = { 'feathers-jwt': 'ada-a', 'feathers-jwt-refresh': 'ada-r' }

const acts: Record<string, (play: LoginPlay) => Promise<unknown>> = {
  'a login': ({ logIn }) => logIn('bob'),
  'a login that is refused': ({ logIn }) => logIn('eve'),
  'a login that fails': ({ app }) => app.authenticate({ strategy: 'down' }),
  'the stored token': ({ app }) => app.reAuthenticate(true),
  'a logout': ({ app }) => app.logout(),
  'a call': ({ find }) => find()
}
const first: Record<string, [held: string, call: (play: LoginPlay) => Promise<unknown>]> = {
  'a login': ['POST local', ({ logIn }) => logIn('cid')],
  'a login that is stored': ['setItem feathers-jwt', ({ logIn }) => logIn('cid')],
  'a login that is refused': ['POST local', ({ logIn }) => logIn('eve')],
  'a login that fails': ['POST down', ({ app }) => app.authenticate({ strategy: 'down' })],
  'the stored token': ['POST jwt', ({ app }) => app.reAuthenticate(true)],
  'a logout': ['DELETE /authentication', ({ app }) => app.logout()],
  'a logout that is stored': ['removeItem feathers-jwt', ({ app }) => app.logout()]
}

t.test('two at the same time: the first waits, the second begins, the first goes on', async (t) => {
  const kept: Record<string, unknown> = {}
  for (const [one, [held, begin]] of Object.entries(first)) {
    const rows = Object.entries(acts).map(([two, act]): [string, Rows[string]] => [
      two,
      async (play) => {
        const all = play(ada)
        all.server.refused.add('eve')
        all.faults.set('POST down', 503)
        await all.app.reAuthenticate()
        all.log.splice(0)
        const letGo = all.hold(held)
        const [done, other] = [
          all.does('first', () => begin(all)),
          all.idle('the first waits').then(() => all.does('second', () => act(all)))
        ]
        await all.idle('both are begun')
        await all.idle('now the first goes on')
        letGo()
        await Promise.all([done, other])
        await all.does('at the end', () => all.app.get('authentication'))
      }
    ])
    kept[one] = await playAll(Object.fromEntries(rows))
  }
  isKept(t, kept, 'test/client/whole-switching.txt')
})

const later: Record<string, [held: string, request: Record<string, string>]> = {
  'a login': ['POST other', { strategy: 'other', user: 'bob' }],
  'a login that is refused': ['POST other', { strategy: 'other', user: 'eve' }],
  'a login that fails': ['POST broken', { strategy: 'broken' }]
}

t.test('a login begins while another waits: they are answered in this order', async (t) => {
  const kept: Record<string, unknown> = {}
  for (const [one, [held, begin]] of Object.entries(first)) {
    const rows = Object.entries(later).map(([two, [other, request]]): [string, Rows[string]] => [
      two,
      async (play) => {
        const all = play(ada)
        all.server.refused.add('eve')
        for (const name of ['POST down', 'POST broken']) all.faults.set(name, 503)
        await all.app.reAuthenticate()
        all.log.splice(0)
        const [letGo, letOther] = [all.hold(held), all.hold(other)]
        const begun = all.does('first', () => begin(all))
        await all.idle('the first waits')
        const second = all.does('second', () => all.app.authenticate(request))
        const call = all.does('find', all.find)
        await all.idle('so does the second')
        letGo()
        await all.idle('the first has gone on')
        letOther()
        await Promise.all([begun, second, call])
        await all.does('at the end', () => all.app.get('authentication'))
      }
    ])
    kept[one] = await playAll(Object.fromEntries(rows))
  }
  isKept(t, kept, 'test/client/whole-switching-two.txt')
})

const failing = [
  'getItem feathers-jwt',
  'getItem feathers-jwt-refresh',
  'setItem feathers-jwt',
  'setItem feathers-jwt-refresh',
  'removeItem feathers-jwt',
  'removeItem feathers-jwt-refresh'
]

// What the storage has failed with is not waited for at once.
const slow: typeof acts = {
  'a logout behind a hook': ({ app, idle }) => {
    app.service('authentication').hooks({ before: { remove: [() => idle('the hook waits')] } })
    return app.logout()
  },
  'a login that takes its time': ({ logIn, hold, idle }) => {
    const letGo = hold('POST local')
    const login = logIn('bob')
    idle('the server waits').then(letGo)
    return login
  },
  'a refused login that takes its time': ({ logIn, hold, idle }) => {
    const letGo = hold('POST local')
    const login = logIn('eve')
    idle('the server waits').then(letGo)
    return login
  }
}

t.test('a storage that fails', async (t) => {
  const kept: Record<string, unknown> = {}
  for (const name of failing) {
    const calls = { ...acts, ...(name === failing[0] && slow), 'a renewal': ({ find }: LoginPlay) => find() }
    const rows = Object.entries(calls).map(([call, act]): [string, Rows[string]] => [
      call,
      async (play) => {
        const all = play(ada)
        all.server.refused.add('eve')
        if (call === 'a renewal') all.server.refused.add('ada-a')
        all.faults.set('POST down', 503)
        if (call !== 'a renewal') await all.app.reAuthenticate()
        all.log.splice(0)
        all.faults.set(name, new Error('the storage fails'))
        await all.does(call, () => act(all))
        all.faults.delete(name)
        await all.does('at the end', () => all.app.get('authentication'))
        await all.does('find', all.find)
      }
    ])
    const played = await playAll(Object.fromEntries(rows))
    // The others never do what fails.
    const failed = Object.entries(played).filter(([, lines]) =>
      lines.some((line) => line.includes('the storage fails'))
    )
    kept[name] = Object.fromEntries(failed)
  }
  isKept(t, kept, 'test/client/whole-storage.txt')
})
