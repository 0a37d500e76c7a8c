import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type PluginBuild } from 'esbuild'
import { authentication, createClient, rest } from 'fastify-services/client'
import t from 'tap'
import { createRedirecting } from '../support/redirecting.js'

const door = fileURLToPath(new URL('../../lib/client/index.js', import.meta.url))

/** Leaves the files that stand in pages alone outside of a bundle, so that their coverage counts. */
const setup = ({ onLoad }: PluginBuild) =>
  onLoad({ filter: /-page\.js$/ }, ({ path }) => ({ contents: `export * from '${pathToFileURL(path)}'` }))

/** The client as bundlers for browsers make it. */
async function importBundle(): Promise<typeof import('fastify-services/client')> {
  const { outputFiles } = await build({
    entryPoints: [door],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    external: ['file:*'],
    plugins: [{ name: 'pages', setup }],
    write: false
  })
  const text = Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')
  return import(`data:text/javascript;base64,${text}`)
}

t.test('a bundle for browsers that runs where there is no page: a login follows no redirect', async (t) => {
  const [here, there] = [await createRedirecting(t), await createRedirecting(t)]
  const client = await importBundle()
  for (const location of ['/to', `${there.address}/to`]) {
    Object.assign(here.redirect, { status: 307, location })
    const app = client.createClient().configure(client.rest(here.address).fetch(fetch))
    app.configure(client.authentication({ path: 'from/authentication' }))
    await t.rejects(app.authenticate({ strategy: 'local', password: 'secret' }), { code: 307 })
    t.equal(here.asked.splice(0).length, 1)
    t.same(there.asked, [])
  }
})

t.test('a page: a login whose redirect the browser hides names the address', async (t) => {
  Object.assign(globalThis, { location: { origin: 'http://page.example' } })
  t.teardown(() => Reflect.deleteProperty(globalThis, 'location'))
  const sent: { redirect?: string }[] = []
  const library = async (_url: string, init: object) => {
    sent.push(init)
    return { status: 0, headers: new Headers(), text: async () => '' }
  }
  const app = createClient().configure(rest('/api').fetch(library)).configure(authentication())
  await t.rejects(app.authenticate({ strategy: 'local', password: 'secret' }), {
    code: 400,
    message: '/api/authentication is redirected: give rest() that address'
  })
  t.match(sent, [{ redirect: 'manual' }])
})

t.test('what stands in a page for modules of Node', async (t) => {
  const client = await importBundle()
  t.doesNotThrow(() => client.rest('no address'))
  const app = client.createClient().configure(client.rest('http://a').request((() => {}) as never))
  // Of a page, where tabs may share a login.
  app.configure(client.authentication({ storage: { ...client.memoryStorage(), isShared: true } }))
  await t.rejects(app.service('things').find(), { cause: { message: 'request is for Node' } })
})
