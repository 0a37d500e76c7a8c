import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import t from 'tap'
import { run } from '../package/pack.js'
import { read, root } from '../package/sources.js'
import { checkAccessibility } from '../support/accessibility.js'
import { howToInstall, openContext } from '../support/chromium.js'
import { anchorsOf, pages } from '../support/pages.js'
import { serveFolder } from '../support/static-server.js'

// It compiles all pages, which takes half a minute.
t.setTimeout(280_000)

const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js')
const build = (folder: string, ...options: string[]) =>
  run(folder, process.execPath, vitepress, 'build', 'docs', ...options)
/** Where a page is on the site. */
const placeOf = (page: string) => page.replace(/(^|\/)README\.md$/, '$1index.md').replace(/md$/, 'html')

const site = t.testdir()
const { code, stdout, stderr } = await build(root, '--outDir', site)
t.equal(code, 0, `the site is built ${stdout}${stderr}`)

t.test('the site of the documentation', async (t) => {
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' })
  const textOf = (file: string) => readFileSync(join(site, file), 'utf8')

  await t.test('has all pages, and begins with the README', async (t) => {
    for (const page of [...pages, 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/atlas/README.md'])
      t.ok(files.includes(placeOf(page)), page)
    t.match(textOf('index.html'), /<h1 id="fastify-services"/)
  })

  await t.test('can be searched without a server', async (t) => {
    t.ok(files.some((file) => /localSearchIndex/.test(file)))
  })

  await t.test('has each page as it was written, and a list of them for programs that read', async (t) => {
    const list = textOf('llms.txt')
    for (const page of pages) {
      const place = page.replace(/(^|\/)README\.md$/, '$1index.md')
      t.equal(textOf(place), read(page), place)
      t.match(list, new RegExp(`\\]\\(/${place}\\): \\S`), place)
    }
    t.match(list, /^# fastify-services\n\n> \S/)
  })

  await t.test('its search leaves out pages about the project itself', async (t) => {
    const index = textOf(files.find((file) => /localSearchIndex/.test(file)) ?? '')
    t.match(index, /docs\/permissions/)
    t.notMatch(index, /CONTRIBUTING|CHANGELOG|RELEASING|the-app-of-the-snippets/)
  })

  await t.test('its headings have the anchors that they have on GitHub', async (t) => {
    for (const page of pages)
      for (const anchor of anchorsOf(page)) t.ok(textOf(placeOf(page)).includes(` id="${anchor}"`), `${page}#${anchor}`)
  })

  await t.test('its links lead to pages of it', async (t) => {
    for (const file of files.filter((file) => file.endsWith('.html')))
      for (const [, link = ''] of textOf(file).matchAll(/<a [^>]*?href="([^":#]+)(?:#[^"]*)?"/g)) {
        const place = link.startsWith('/') ? link.slice(1) : posix.join(posix.dirname(file), link)
        t.ok(
          files.includes(posix.join(place, place.endsWith('/') || place === '' ? 'index.html' : '')),
          `${file}: ${link}`
        )
      }
  })
})

t.test('the site is for everybody, at all widths and in both themes', { skip: howToInstall }, async (t) => {
  const { address, close } = await serveFolder(site)
  t.teardown(close)
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 768, 1280, 1920]) {
      const context = await openContext(t, { colorScheme, viewport: { width, height: 900 }, reducedMotion: 'reduce' })
      const page = await context.newPage()
      for (const place of ['', 'docs/services.html', 'docs/troubleshooting.html']) {
        await page.goto(`${address}/${place}`)
        await page.locator('h1').first().waitFor({ state: 'attached' })
        await checkAccessibility(t, page, `/${place}, ${width} pixels, ${colorScheme}`)
      }
      await context.close()
    }
})

t.test('a dead link fails the build', async (t) => {
  const folder = t.testdir({
    'README.md': '# A page\n\n[Nowhere](nowhere.md)\n',
    docs: {
      '.vitepress': {
        'config.js': read('docs/.vitepress/config.js'),
        'plain-pages.js': read('docs/.vitepress/plain-pages.js')
      }
    }
  })
  const { code, stdout, stderr } = await build(folder)
  t.not(code, 0)
  t.match(`${stdout}${stderr}`, /dead link.*nowhere/is)
})
