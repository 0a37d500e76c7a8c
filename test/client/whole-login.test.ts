import { authentication, createClient, rest } from 'fastify-services/client'
import t from 'tap'
import { ofSameUser } from '../../lib/client/token-store.js'
import { isKept } from '../support/kept.js'
import { playAll, type Rows, tokenOf } from './login-play.js'
import { outcome } from './outcome.js'

const ada = { 'feathers-jwt': 'ada-a', 'feathers-jwt-refresh': 'ada-r' }
const alone = { 'feathers-jwt': 'ada-a' }

const logins: Rows = {
  'a login, a call, a logout': async (play) => {
    const { does, logIn, find, app, idle } = play()
    await does('find', find)
    await does('login', () => logIn('ada'))
    await idle('logged in')
    await does('find', find)
    await does('create', () => app.service('things').create({ a: 1 }, { headers: { 'X-A': '1' } }))
    await does('again', () => app.reAuthenticate())
    await does('logout', () => app.logout())
    await does('find', find)
    await does('again', () => app.reAuthenticate())
    await does('logout', () => app.logout())
  },
  'params of a login': async (play) => {
    const { does, app } = play()
    await does('login', () =>
      app.authenticate({ strategy: 'local', user: 'ada' }, { query: { a: 1 }, headers: { 'X-A': '1' } })
    )
  },
  'nothing stored': async (play) => {
    const { does, app } = play()
    await does('reAuthenticate', () => app.reAuthenticate())
    await does('authenticate', () => app.authenticate())
    await does('logout', () => app.logout())
  },
  'a stored token': async (play) => {
    const { does, app, find } = play(ada)
    await does('find', find)
    await does('authenticate', () => app.authenticate())
    await does('again', () => app.authenticate(undefined))
    await does('by force', () => app.reAuthenticate(true))
    await does('settled', () => app.get('authentication'))
  },
  'two at once': async (play) => {
    const { does, app, find } = play(ada)
    await Promise.all([
      does('one', () => app.reAuthenticate()),
      does('two', () => app.reAuthenticate(true)),
      does('find', find)
    ])
  },
  'a stored token that is refused': async (play) => {
    const { does, app, server } = play(alone)
    server.refused.add('ada-a')
    await does('authenticate', () => app.authenticate())
    await does('authenticate', () => app.authenticate())
  },
  'a stored token that is renewed': async (play) => {
    const { does, app, server } = play(ada)
    server.refused.add('ada-a')
    await does('authenticate', () => app.authenticate())
  },
  'a stored token that is renewed, and refused again': async (play) => {
    const { does, app, server } = play(ada)
    for (const name of ['ada-a', 'ada-1', 'ada-2']) server.refused.add(name)
    await does('authenticate', () => app.authenticate())
  },
  'a renewal that is refused': async (play) => {
    const { does, app, server } = play(ada)
    for (const name of ['ada-a', 'ada-r']) server.refused.add(name)
    await does('authenticate', () => app.authenticate())
  },
  'a renewal that fails': async (play) => {
    const { does, app, server, faults } = play(ada)
    server.refused.add('ada-a')
    faults.set('POST refresh', 503)
    await does('authenticate', () => app.authenticate())
  },
  'a server that is down': async (play) => {
    const { does, app, faults } = play(ada)
    faults.set('POST jwt', 503)
    await does('authenticate', () => app.authenticate())
    faults.set('POST jwt', new Error('no route'))
    await does('authenticate', () => app.authenticate())
    faults.clear()
    await does('authenticate', () => app.authenticate())
  },
  'a login that is refused': async (play) => {
    const { does, logIn, server } = play(ada)
    server.refused.add('bob')
    await does('login', () => logIn('bob'))
  },
  'a login that fails': async (play) => {
    const { does, logIn, faults, find, app } = play(ada)
    await does('authenticate', () => app.authenticate())
    faults.set('POST local', 503)
    await does('login', () => logIn('bob'))
    await does('find', find)
  },
  'a login over another': async (play) => {
    const { does, logIn, server } = play(ada)
    server.hasRefresh = false
    await does('login', () => logIn('bob'))
  },
  'answers that hold no tokens': async (play) => {
    const { does, app, faults } = play(ada)
    for (const result of [
      {},
      { accessToken: 1, refreshToken: 'x' },
      { accessToken: '', refreshToken: '' },
      { accessToken: tokenOf('ada-z'), refreshToken: 1 },
      null
    ]) {
      faults.set('POST local', result)
      await does(JSON.stringify(result), () => app.authenticate({ strategy: 'local', user: 'ada' }))
    }
  },
  options: async (play) => {
    const options = { header: 'X-Token', scheme: '', path: '/v1/login/', storageKey: 'key', jwtStrategy: 'own' }
    const { does, app, find } = play({ key: 'ada-a' }, options)
    await does('find', find)
    await does('own header', () => app.service('things').find({ headers: { 'x-token': 'mine' } }))
    await does('authenticate', () => app.authenticate())
    await does('of the path', () => app.service('v1/login').create({ strategy: 'other' }))
    await does('of another', () => app.service('authentication').create({ strategy: 'other' }))
    await does('another method', () => app.service('v1/login').find())
  },
  'the storage of its own': async (play) => {
    const { does, app, find, logIn, items } = play({}, { storage: undefined } as object)
    items.set('not used', '')
    await does('login', () => logIn('ada'))
    await does('find', find)
    await does('again', () => app.reAuthenticate(true))
    await does('logout', () => app.logout())
    await does('find', find)
  },
  'a scheme': async (play) => {
    const { does, find } = play(ada, { scheme: 'Token' })
    await does('find', find)
  },
  'calls of others': async (play) => {
    const { does, app, find } = play(ada)
    const other = rest('http://other').fetch(async (_url: string, init: object) => {
      const { headers } = init as { headers: object }
      return Response.json(headers)
    })
    app.use('other', other.service('things'))
    await does('another connection', () => app.service('other').find())
    await does('with a header', () => app.service('things').find({ headers: { authorization: 'Basic x' } }))
    await does('with an empty header', () => app.service('things').find({ headers: { AUTHORIZATION: '' } }))
    await does('find', find)
  }
}

t.test('logins', async (t) => {
  isKept(t, await playAll(logins), 'test/client/whole-login.txt')
})

t.test('a login needs a connection', async (t) => {
  isKept(
    t,
    { error: await outcome(() => createClient().configure(authentication())) },
    'test/client/whole-login-errors.txt'
  )
})

const tokens: Record<string, string | null | undefined> = {
  ada: tokenOf('ada-1'),
  'ada again': tokenOf('ada-2'),
  bob: tokenOf('bob-1'),
  number: tokenOf('n', 1),
  text: tokenOf('n', '1'),
  none: tokenOf('n', null),
  zero: tokenOf('n', 0),
  'with - and _': tokenOf('n', '???>>>~~~???>>>').replaceAll('+', '-').replaceAll('/', '_'),
  'with + and /': tokenOf('n', '???>>>~~~???>>>'),
  opaque: 'opaque',
  'no JSON': `x.${btoa('{')}.y`,
  'no user': `x.${btoa('{}')}.y`,
  'null as JSON': `x.${btoa('null')}.y`,
  empty: '',
  null: null,
  undefined
}

t.test('whose tokens are taken for those of one user', async (t) => {
  const names = Object.keys(tokens)
  const kept = names.map((name) => [name, names.filter((other) => ofSameUser(tokens[name], tokens[other])).join(', ')])
  isKept(t, Object.fromEntries(kept), 'test/client/whole-users.txt')
})
