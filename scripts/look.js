// Makes a picture of each page that people see, at four widths and in both themes, to be looked at one by one: `npm run look -- some/folder`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { createApp } from '../dist/examples/atlas/app.js'
import { openDatabase } from '../dist/examples/atlas/database.js'
import { executablePath, howToInstall } from '../dist/test/support/chromium-path.js'
import { serveFolder } from '../dist/test/support/static-server.js'

if (howToInstall) throw new Error(howToInstall)
const target = resolve(process.argv[2] ?? 'dist/look')
const vitepress = fileURLToPath(new URL('../node_modules/vitepress/bin/vitepress.js', import.meta.url))

const widths = [390, 768, 1280, 1920]
const places = {
  atlas: [
    ['start', '/'],
    ['country', '/#region=Europe&country=CHE'],
    ['nothing', '/#search=nowhere'],
    ['log-in', '/', (page) => page.getByRole('banner').getByRole('button', { name: 'Log in' }).click()],
    ['explorer-list', '/explorer#/countries'],
    ['explorer-record', '/explorer#/countries?call=get&id=CHE'],
    ['explorer-create', '/explorer#/countries/:code/notes?call=create&%3Acode=CHE'],
    ['explorer-log-in', '/explorer#/authentication']
  ],
  site: [
    ['home', '/'],
    ['services', '/docs/services.html'],
    ['resource', '/docs/resource.html'],
    ['tutorial', '/docs/tutorial.html'],
    ['errors', '/docs/errors.html'],
    ['performance', '/docs/performance.html']
  ]
}

const folder = mkdtempSync(join(tmpdir(), 'look-'))
const app = await createApp(await openDatabase({ folder: join(folder, 'data') }), { writesNotes: true })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const site = await startSite()
try {
  const addresses = { atlas: await app.listen({ port: 0, host: '127.0.0.1' }), site: site.address }
  mkdirSync(target, { recursive: true })
  const names = []
  for (const colorScheme of ['light', 'dark'])
    for (const width of widths) {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width, height: 900 },
        reducedMotion: 'reduce'
      })
      for (const [part, all] of Object.entries(places))
        for (const [name, place, act] of all) {
          const page = await context.newPage()
          await page.goto(addresses[part] + place, { waitUntil: 'load' })
          await setTimeout(1200)
          await act?.(page)
          const file = `${part}-${name}-${width}-${colorScheme}.png`
          await page.screenshot({ path: join(target, file) })
          await page.close()
          names.push(file)
        }
      await context.close()
    }
  const pictures = names.map(
    (name) => `<figure><img src="${name}" height="450"><figcaption>${name}</figcaption></figure>`
  )
  writeFileSync(
    join(target, 'index.html'),
    `<!DOCTYPE html><style>body { display: flex; flex-wrap: wrap }</style>${pictures.join('\n')}`
  )
  console.log(`${names.length} pictures: ${join(target, 'index.html')}`)
} finally {
  site.close()
  await browser.close()
  await app.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Builds the site, and serves it. */
async function startSite() {
  const built = join(folder, 'site')
  const build = spawn(process.execPath, [vitepress, 'build', 'docs', '--outDir', built], { stdio: 'inherit' })
  const [code] = await once(build, 'exit')
  if (code !== 0) throw new Error('The site could not be built')
  return serveFolder(built)
}
