import t from 'tap'
import { bundle, executablePath, howToInstall, openContext } from '../../support/chromium.js'
import { openEventsSite, type SiteClient, until } from '../../support/events-site.js'

declare const watch: (email: string | undefined, path: 'notes' | 'private') => Promise<void>
declare const hear: () => void
declare const heard: number[]
declare const shown: { client: SiteClient; data: { text: string }[]; state: string }

t.test('in Chromium', { skip: executablePath === undefined && howToInstall }, async (t) => {
  const script = await bundle('events-page.js')
  const { app, address } = await openEventsSite(t, {}, (server) => {
    // A frame in a sandbox is of no origin.
    server.addHook('onRequest', async (_request, reply) => void reply.header('access-control-allow-origin', '*'))
    server.get('/', (_request, reply) =>
      reply.type('text/html').send('<!DOCTYPE html><title>x</title><script src="/page.js"></script>')
    )
    server.get('/frame', (_request, reply) =>
      reply.type('text/html').send('<!DOCTYPE html><title>x</title><iframe sandbox="allow-scripts" src="/"></iframe>')
    )
    server.get('/page.js', (_request, reply) => reply.type('text/javascript').send(script))
  })
  const open = async (email: string | undefined, path: 'notes' | 'private', context = openContext(t)) => {
    const page = await (await context).newPage()
    await page.goto(address)
    await page.evaluate(([name, of]) => watch(name, of), [email, path] as const)
    await page.waitForFunction(() => shown.state === 'live')
    return page
  }
  const textsIn = (page: Awaited<ReturnType<typeof open>>) => page.evaluate(() => shown.data.map(({ text }) => text))

  await t.test('two users see the notes of each other, and not the private ones', async (t) => {
    const [ada, bob] = [await open('ada', 'notes'), await open('bob', 'notes')]
    const privateOfBob = await open('bob', 'private')
    await ada.evaluate(() => shown.client.service('private').create({ text: 'secret' }))
    await ada.evaluate(() => shown.client.service('notes').create({ text: 'of Ada' }))
    await bob.waitForFunction(() => shown.data.length === 1)
    await bob.evaluate(() => shown.client.service('private').create({ text: 'of Bob' }))
    await privateOfBob.waitForFunction(() => shown.data.length === 1)
    t.same([await textsIn(ada), await textsIn(bob), await textsIn(privateOfBob)], [['of Ada'], ['of Ada'], ['of Bob']])
  })

  await t.test('ten tabs of one user share a stream, and go on when the tab that holds it is closed', async (t) => {
    const before = app.events.streams
    const context = openContext(t)
    const pages = []
    for (let i = 0; i < 10; i++) pages.push(await open('ada', 'notes', context))
    t.equal(app.events.streams - before, 1)
    const [first, ...others] = pages
    await first?.close()
    await until(() => app.events.streams - before === 1)
    await app.service('notes').create({ text: 'after' } as never)
    for (const page of others) await page.waitForFunction(() => shown.data.some(({ text }) => text === 'after'))
  })

  await t.test('a frame in a sandbox, which may use no locks, has a stream of its own', async (t) => {
    const page = await (await openContext(t)).newPage()
    await page.goto(`${address}/frame`)
    const frame = page.frames()[1]
    await frame?.evaluate(() => watch(undefined, 'notes'))
    await frame?.waitForFunction(() => shown.state === 'live')
  })

  await t.test('a page that was offline has what it missed', async (t) => {
    const context = await openContext(t)
    const page = await open(undefined, 'notes', Promise.resolve(context))
    await page.evaluate(() => hear())
    await context.setOffline(true)
    const ids: number[] = []
    for (let i = 0; i < 20; i++) {
      const { id } = (await app.service('notes').create({ text: `missed ${i}` } as never)) as { id: number }
      ids.push(id)
    }
    await context.setOffline(false)
    await page.waitForFunction(() => heard.length >= 20)
    t.same(await page.evaluate(() => heard), ids)
  })
})
