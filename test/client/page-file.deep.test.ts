import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { read, root } from '../package/sources.js'
import { executablePath, howToInstall, openContext } from '../support/chromium.js'
import { memory, startEvents } from '../support/events-app.js'

const file = join(root, 'client/dist/page.js')
const page = read('docs/client.md')
const blocks = [...page.matchAll(/```html\n(.*?)```/gs)].map(([, block = '']) => block)
const html = blocks.find((block) => block.includes('/client.js')) ?? ''

t.test('the file has the size that its page says', async (t) => {
  const [, size] = /live lists: (\d+) kB/.exec(page) ?? []
  t.equal(Math.round(gzipSync(readFileSync(file), { level: 9 }).length / 1000), Number(size))
})

t.test(
  'the page of the docs runs in a browser, without a bundler',
  { skip: !executablePath && howToInstall },
  async (t) => {
    const { app } = await startEvents(
      t,
      (app) => {
        app.service('messages', memory())
        app.get('/', (_request, reply) => reply.type('text/html').send(html))
        app.get('/client.js', (_request, reply) => reply.type('text/javascript').send(createReadStream(file)))
      },
      { services: { messages: true } }
    )
    const asked: string[] = []
    const open = async () => {
      const window = await (await openContext(t, { hasCORS: true })).newPage()
      window.on('pageerror', (error) => t.fail(error.message))
      window.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await window.goto(app.listeningOrigin)
      return window
    }
    const [first, second] = [await open(), await open()]
    await first.getByLabel('Text').fill('Hello')
    await first.getByRole('button', { name: 'Send' }).click()
    for (const window of [first, second]) await window.getByRole('listitem').filter({ hasText: 'Hello' }).waitFor()
    const scripts = asked.filter((path) => path.endsWith('.js'))
    t.same(scripts, ['/client.js', '/client.js'], 'one file for each window')
  }
)
