import t from 'tap'
import { isKept } from '../support/kept.js'
import { type LoginPlay, playAll, type Rows, tokenOf } from './login-play.js'

const ada = { 'feathers-jwt': 'ada-a', 'feathers-jwt-refresh': 'ada-r' }
const [key, refreshKey] = Object.keys(ada) as [string, string]

/** A play whose stored token is refused. */
const expired = (play: Parameters<Rows[string]>[0], stored: Record<string, string> = ada): LoginPlay => {
  const all = play(stored)
  all.server.refused.add('ada-a')
  return all
}

/** Finds with a token that has expired; while a request of that is held, somebody logs in. */
const loginDuring =
  (
    held: string,
    waits: string,
    user: string,
    after: (play: LoginPlay) => Promise<void> = async () => {}
  ): Rows[string] =>
  async (play) => {
    const played = expired(play)
    const { does, find, hold, idle, logIn } = played
    const letGo = hold(held)
    const call = does('find', find)
    await idle(waits)
    await does('login', () => logIn(user))
    letGo()
    await call
    await after(played)
  }

const renewals: Rows = {
  'a call': async (play) => {
    const { does, app, find } = expired(play)
    await does('create', () => app.service('things').create({ a: 1 }, { headers: { 'X-A': '1' }, query: { b: 1 } }))
    await does('find', find)
  },
  'calls at the same time': async (play) => {
    const { does, find, app } = expired(play)
    await Promise.all([
      does('one', find),
      does('two', find),
      does('again', () => app.reAuthenticate()),
      does('three', find)
    ])
    await does('later', find)
  },
  'a renewed token that is refused too': async (play) => {
    const { does, find, server } = expired(play)
    server.refused.add('ada-1')
    await does('find', find)
    await does('find', find)
  },
  'no refresh token': async (play) => {
    const { does, find } = expired(play, { [key]: 'ada-a' })
    await does('find', find)
  },
  'a refresh token that is refused': async (play) => {
    const { does, find, server } = expired(play)
    server.refused.add('ada-r')
    await does('find', find)
    await does('find', find)
  },
  'a renewal without a new refresh token': async (play) => {
    const { does, find, server } = expired(play)
    server.hasRefresh = false
    await does('find', find)
  },
  'a renewal that gives no token': async (play) => {
    const { does, find, faults } = expired(play)
    faults.set('POST refresh', {})
    await does('find', find)
  },
  'a renewal that gives a token of another user': async (play) => {
    const { does, find, faults } = expired(play)
    faults.set('POST refresh', { accessToken: tokenOf('bob-1'), refreshToken: tokenOf('bob-r') })
    await does('find', find)
  },
  'a renewal that fails, and another': async (play) => {
    const { does, find, faults } = expired(play)
    for (const fault of [503, 403, 500, new Error('no route')]) {
      faults.set('POST refresh', fault)
      await does(String(fault), find)
    }
    faults.clear()
    await does('find', find)
  },
  'other errors than 401': async (play) => {
    const { does, find, faults } = play(ada)
    for (const fault of [400, 402, 403, 500]) {
      faults.set('GET /things', fault)
      await does(String(fault), find)
    }
  },
  'a body that is a stream': async (play) => {
    const { does, app } = expired(play)
    const stream = () => new Blob(['x']).stream() as unknown as Record<string, unknown>
    await does('create', () => app.service('things').create(stream()))
    await does('create', () => app.service('things').create(stream()))
  },
  'a logout with a token that has expired': async (play) => {
    const { does, app } = expired(play)
    await does('logout', () => app.logout())
  },
  'a logout whose renewal is refused': async (play) => {
    const { does, app, server } = expired(play)
    server.refused.add('ada-r')
    await does('logout', () => app.logout())
  },
  'a renewal, and a login meanwhile': loginDuring(
    'POST refresh',
    'the renewal waits',
    'bob',
    async ({ does, find }) => {
      await does('find', find)
    }
  ),
  'a renewal that is refused, and a login meanwhile': async (play) => {
    const { does, find, hold, idle, logIn, server } = expired(play)
    server.refused.add('ada-r')
    const letGo = hold('POST refresh')
    const call = does('find', find)
    await idle('the renewal waits')
    await does('login', () => logIn('bob'))
    letGo()
    await call
  },
  'a renewal, and a logout meanwhile': async (play) => {
    const { does, find, hold, idle, app } = expired(play)
    const letGo = hold('POST refresh')
    const call = does('find', find)
    await idle('the renewal waits')
    const logout = does('logout', () => app.logout())
    await idle('so does the logout')
    letGo()
    await Promise.all([call, logout])
  },
  'a call that is refused after a login': loginDuring('GET /things', 'the call waits', 'bob'),
  'a renewal, and a login of the same user meanwhile': loginDuring('POST refresh', 'the renewal waits', 'ada'),
  'a call that is refused after a login of the same user': loginDuring('GET /things', 'the call waits', 'ada'),
  'a call that is aborted while it waits for a renewal': async (play) => {
    const { does, find, hold, idle, app } = expired(play)
    const letGo = hold('POST refresh')
    const controller = new AbortController()
    const call = does('aborted', () => app.service('things').find({ connection: { signal: controller.signal } }))
    const other = does('other', find)
    await idle('both wait')
    controller.abort('enough')
    await call
    letGo()
    await other
    await does('aborted before', () =>
      app.service('things').find({ connection: { signal: AbortSignal.abort('before') } })
    )
  }
}

t.test('renewals', async (t) => {
  isKept(t, await playAll(renewals), 'test/client/whole-renewal.txt')
})

/** What another tab does to the storage: it logs out, renews, or logs another user in. */
const tabs: Record<string, Record<string, string>> = {
  nothing: ada,
  'a logout': {},
  'a renewal': { [key]: 'ada-t', [refreshKey]: 'ada-tr' },
  'a renewal without a refresh token': { [key]: 'ada-t' },
  'a login of another': { [key]: 'bob-t', [refreshKey]: 'bob-tr' },
  'a login with the refresh token alone': { [key]: 'ada-a', [refreshKey]: 'ada-tr' }
}
const moments: Record<string, [held: string, call: (play: LoginPlay) => Promise<unknown>, refused: string[]]> = {
  'a call': ['GET /things', ({ find }) => find(), ['ada-a']],
  'a renewal': ['POST refresh', ({ find }) => find(), ['ada-a']],
  'a renewal that is refused': ['POST refresh', ({ find }) => find(), ['ada-a', 'ada-r']],
  'a stored token': ['POST jwt', ({ app }) => app.reAuthenticate(), []],
  'a stored token that is refused': ['POST jwt', ({ app }) => app.reAuthenticate(), ['ada-a']],
  'a logout': ['DELETE /authentication', ({ app }) => app.logout(), []],
  'a login': ['POST local', ({ logIn }) => logIn('eve'), []],
  'a login that is refused': ['POST local', ({ logIn }) => logIn('eve'), ['eve']]
}

t.test('what another tab does meanwhile', async (t) => {
  const table: Record<string, unknown> = {}
  for (const [moment, [held, call, refused]] of Object.entries(moments)) {
    const rows = Object.entries(tabs).map(([tab, stored]): [string, Rows[string]] => [
      tab,
      async (play) => {
        const all = play(ada)
        for (const name of refused) all.server.refused.add(name)
        const letGo = all.hold(held)
        const done = all.does(moment, () => call(all))
        await all.idle('it waits')
        all.log.splice(0)
        all.items.clear()
        for (const [name, token] of Object.entries(stored)) all.items.set(name, tokenOf(token))
        letGo()
        await done
      }
    ])
    table[moment] = await playAll(Object.fromEntries(rows))
  }
  isKept(t, table, 'test/client/whole-tabs.txt')
})
