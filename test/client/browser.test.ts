import t, { type Test } from 'tap'
import { openSite, user } from '../support/browser-app.js'
import { howToInstall } from '../support/chromium.js'
import type { Api } from '../support/client-api.js'
import { claims, forge, now } from '../support/tokens.js'

/** A token of the user that has expired. */
const expired = forge(claims({ exp: now() - 1 }), {}, 's'.repeat(32))

/** What the bundle of `client-page.ts` has put on the page. */
interface Site {
  api: Api
  fetchApi: Api
  fetch: typeof fetch
  jquery: object
  localStorage: {
    getItem(key: string): string | null
    setItem(key: string, value: string): void
    removeItem(key: string): void
  }
}
declare const window: Site

t.test('a page finds, creates, patches and removes, through fetch and jQuery', { skip: howToInstall }, async (t) => {
  const { address, openPage } = await openSite(t as Test)
  const page = await openPage()
  for (const name of ['api', 'fetchApi'] as const) {
    const [own, prefixed, named] = await page.evaluate(
      async ([name, address]) => {
        const { client } = window[name]
        const seen: unknown[] = []
        const bases = [
          ['', 'messages'],
          [`${address}/api`, 'messages'],
          [address, 'api/messages']
        ] as const
        for (const [base, path] of bases) {
          const messages = client(base).service(path)
          const created = await messages.create({ text: 'a' })
          const [found] = (await messages.find({ query: { text: 'a' } })) as object[]
          const patched = await messages.patch((created as { id: number }).id, { text: 'b' })
          seen.push([created, found, patched, await messages.remove(null, { query: { text: 'b' } })])
        }
        return seen
      },
      [name, address] as const
    )
    for (const rows of [own, prefixed, named])
      t.match(rows, [{ text: 'a' }, { text: 'a' }, { text: 'b' }, [{ text: 'b' }]], name)
  }
})

t.test(
  '`rest()` is the address of the page; an unbound `window.fetch` works; a Blob is one',
  { skip: howToInstall },
  async (t) => {
    const { openPage } = await openSite(t as Test)
    const seen = await (await openPage()).evaluate(async () => {
      const { createClient, rest } = window.api.door
      const { fetch: unbound } = window
      const app = createClient().configure(rest().fetch(unbound))
      const page = (await app.service('/').find()) as unknown as string
      const script = (await app.service('bundle.js').find()) as unknown as string
      const own = createClient().configure(rest().fetch(window.fetch.bind(globalThis)))
      return [page.slice(0, 15), typeof script, await own.service('messages').find()]
    })
    t.same(seen, ['<!DOCTYPE html>', 'string', []])
  }
)

t.test('logs in and out, and goes on after a reload', { skip: howToInstall }, async (t) => {
  const { openPage } = await openSite(t as Test)
  const page = await openPage()
  const first = await page.evaluate(async (user) => {
    const { authentication } = window.api.door
    const app = window.api.client('').configure(authentication({ storage: window.localStorage }))
    await app.authenticate({ strategy: 'local', ...user })
    return [await app.service('me').find(), Object.keys(window.localStorage).sort()]
  }, user)
  t.match(first, [{ email: user.email }, ['feathers-jwt', 'feathers-jwt-refresh']])
  await page.reload()
  const second = await page.evaluate(async () => {
    const { authentication } = window.api.door
    const app = window.fetchApi.client('').configure(authentication({ storage: window.localStorage }))
    const { user } = await app.reAuthenticate()
    await app.logout()
    const code = await app
      .service('me')
      .find()
      .catch((error) => error.code)
    return [user, Object.keys(window.localStorage), code]
  })
  t.match(second, [{ email: user.email }, [], 401])
})

t.test('two tabs take turns to renew a token', { skip: howToInstall }, async (t) => {
  const { openPage, refreshed } = await openSite(t as Test)
  const tabs = [await openPage(), await openPage()]
  await tabs[0]?.evaluate(async (user) => {
    const { authentication } = window.api.door
    const app = window.fetchApi.client('').configure(authentication({ storage: window.localStorage }))
    await app.authenticate({ strategy: 'local', ...user })
  }, user)
  await tabs[0]?.evaluate((token) => window.localStorage.setItem('feathers-jwt', token), expired)
  const found = await Promise.all(
    tabs.map((tab) =>
      tab.evaluate(async () => {
        const { authentication } = window.api.door
        const app = window.fetchApi.client('').configure(authentication({ storage: window.localStorage }))
        return Promise.all([app.service('me').find(), app.service('me').find()])
      })
    )
  )
  t.match(found, Array(2).fill([{ email: user.email }, { email: user.email }]))
  t.equal(refreshed.length, 1)
})
