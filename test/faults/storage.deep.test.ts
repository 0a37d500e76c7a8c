import { createClient, authentication as login, memoryStorage, rest, type Storage } from 'fastify-services/client'
import t from 'tap'
import { keys } from '../support/client-race.js'
import { createLogins, ownerOf } from './login-server.js'

const failure = new Error('the storage fails')
const late = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
const throws = () => {
  throw failure
}

/** How a storage fails, or takes its time. */
const ways: Record<string, (run: () => unknown) => unknown> = {
  throws,
  'rejects late': () => late().then(throws),
  'answers late': (run) => late().then(run),
  'does its part, and rejects': async (run) => {
    await run()
    throws()
  }
}
const methods = ['getItem', 'setItem', 'removeItem'] as const
const times: Record<string, (count: number) => boolean> = {
  'the first time': (count) => count === 1,
  'the second time': (count) => count === 2,
  'the third time': (count) => count === 3,
  'every time': () => true
}

const createApp = () => createClient<{ me: { find(): Promise<{ name: string }> } }>({ logger: false })
type App = ReturnType<typeof createApp>
const as = (user: string) => ({ strategy: 'local', user })

/** What is done meanwhile; all of it has an end. A login of Ada stands before it. */
const calls: Record<string, (app: App) => Promise<unknown>[]> = {
  'a login': (app) => [app.authenticate(as('bob'))],
  'a login that is refused': (app) => [app.authenticate(as('nobody'))],
  'a call': (app) => [app.service('me').find()],
  'a login of before': (app) => [app.reAuthenticate(true)],
  'a logout': (app) => [app.logout()],
  'two logins': (app) => [app.authenticate(as('bob')), app.authenticate(as('cid'))],
  'three logins, the last refused': (app) => ['bob', 'cid', 'nobody'].map((user) => app.authenticate(as(user))),
  'a login and a logout': (app) => [app.authenticate(as('bob')), app.logout()],
  'a logout and a login': (app) => [app.logout(), app.authenticate(as('bob'))],
  'a call and a logout': (app) => [app.service('me').find(), app.logout()],
  'a login and a call': (app) => [app.authenticate(as('bob')), app.service('me').find()],
  'a renewal': (app) => [app.service('me').find()],
  'two renewals': (app) => [app.service('me').find(), app.service('me').find()],
  'a renewal and a logout': (app) => [app.service('me').find(), app.logout()],
  'a refused renewal': (app) => [app.service('me').find()],
  'a refused renewal and a logout': (app) => [app.service('me').find(), app.logout()],
  'a refused renewal and a login': (app) => [app.service('me').find(), app.authenticate(as('bob'))],
  'a renewal and a login': (app) => [app.service('me').find(), app.authenticate(as('bob'))]
}

/** A storage whose method fails from now on, where it is due. */
function createFailing(method: (typeof methods)[number], way: string, time: string) {
  const content = memoryStorage()
  let count: number | undefined
  const storage: Storage = {
    ...content,
    [method]: (...args: unknown[]) => {
      const run = () => (content[method] as (...args: unknown[]) => unknown)(...args)
      if (count === undefined || !times[time]?.(++count)) return run()
      return ways[way]?.(run)
    }
  }
  const set = (value: number | undefined) => {
    count = value
  }
  return { content, storage, set }
}

/** What has come of a case that must not be. */
async function find(address: string, name: string, [method, way, time]: [(typeof methods)[number], string, string]) {
  const { content, storage, set } = createFailing(method, way, time)
  const app = createApp().configure(rest(address).fetch(fetch)).configure(login({ storage }))
  await app.authenticate(as('ada'))
  if (name.includes('renewal')) await content.setItem('feathers-jwt', 'access.ada.old')
  if (name.includes('refused renewal')) await content.setItem('feathers-jwt-refresh', 'refresh.ada.old')
  set(0)
  const outcomes = await Promise.allSettled(calls[name]?.(app) ?? [])
  set(undefined)

  const problems: string[] = []
  const stored = await Promise.all(keys.map((key) => content.getItem(key)))
  const owners = new Set(stored.filter((token) => token).map(ownerOf))
  if (owners.size > 1) problems.push(`tokens of ${[...owners].join(' beside one of ')}`)
  if (name.endsWith('logout') && outcomes.at(-1)?.status === 'fulfilled' && owners.size > 0)
    problems.push(`the logout has left a token of ${[...owners]}`)
  for (const outcome of outcomes) {
    const { reason } = outcome as PromiseRejectedResult
    if (reason !== undefined && reason !== failure && reason.code !== 401) problems.push(`rejects with ${reason}`)
    if (reason === failure && way === 'answers late') problems.push('rejects though nothing has failed')
  }
  // Who is logged in is who the calls go by.
  const result = await Promise.resolve(app.get('authentication') as Promise<Result> | null).catch(() => null)
  const me = await app
    .service('me')
    .find()
    .catch(() => null)
  if (result?.user && me && result.user.name !== me.name)
    problems.push(`${result.user.name} is logged in, calls go as ${me.name}`)
  // Well again.
  await app.authenticate(as('dan')).catch((error) => problems.push(`the next login: ${error}`))
  const next = await app
    .service('me')
    .find()
    .catch((error: unknown) => ({ name: `${error}` }))
  if (next.name !== 'dan') problems.push(`the next call goes as ${next.name}`)
  return problems
}

type Result = { user?: { name: string } }
const cases = methods.flatMap((method) =>
  Object.keys(ways).flatMap((way) =>
    Object.keys(times).map((time): [(typeof methods)[number], string, string] => [method, way, time])
  )
)

t.test('Client: storage that fails, is slow, answers late', async (t) => {
  const address = await createLogins(t)
  for (const name of Object.keys(calls)) {
    const problems = await Promise.all(cases.map((failing) => find(address, name, failing)))
    for (const [index, failing] of cases.entries())
      t.strictSame(problems[index], [], `${name}, while ${failing.join(' ')}`)
  }
})
