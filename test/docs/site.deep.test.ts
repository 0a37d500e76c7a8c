import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import MiniSearch, { type SearchOptions } from 'minisearch'
import t from 'tap'
import { run } from '../package/pack.js'
import { read, root } from '../package/sources.js'
import { checkAccessibility } from '../support/accessibility.js'
import { howToInstall, openContext } from '../support/chromium.js'
import { anchorsOf, pages } from '../support/pages.js'
import { serveFolder } from '../support/static-server.js'

// It compiles all pages, which takes half a minute.
t.setTimeout(280_000)

/** Words, and the pages of which one is what they ask for. */
const wanted: readonly [words: string, ...pages: string[]][] = [
  ['pagination', 'docs/databases', 'docs/services'],
  ['realtime', 'docs/events'],
  ['prisma', 'docs/databases'],
  ['drizzle', 'docs/databases'],
  ['migrations', 'docs/databases'],
  ['upload', 'docs/uploads-and-streams'],
  ['permissions', 'docs/permissions'],
  ['cron', 'docs/transactions', 'docs/services'],
  ['multi-tenant', 'docs/permissions'],
  ['validation', 'docs/resource'],
  ['websocket', 'docs/events'],
  ['rate limit', 'docs/production', 'docs/sessions'],
  ['mcp', 'docs/agents'],
  ['docker', 'docs/production'],
  ['test', 'docs/testing'],
  ['caching', 'docs/performance', 'docs/production'],
  ['populate', 'docs/related-records', 'docs/databases'],
  ['nested resources', 'docs/permissions'],
  ['admin panel', 'docs/openapi']
]

const { searchOptions } = (await import(pathToFileURL(join(root, 'docs/.vitepress/search.js')).href)) as {
  searchOptions: SearchOptions
}
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

  await t.test('is searched by the words that people use', async (t) => {
    const index = textOf(files.find((file) => /localSearchIndex/.test(file)) ?? '')
    const json = (await import(`data:text/javascript,${encodeURIComponent(index)}`)) as { default: string }
    const engine = MiniSearch.loadJSON(json.default, {
      fields: ['title', 'titles', 'text'],
      storeFields: ['title', 'titles'],
      searchOptions
    })
    const pageFor = (words: string) => String(engine.search(words)[0]?.id).replace(/^\/|(\.html)?#.*$/g, '')
    for (const [words, ...expected] of wanted) t.ok(expected.includes(pageFor(words)), `${words}: ${pageFor(words)}`)
  })

  await t.test('has every page in its menu', async (t) => {
    for (const page of pages)
      t.match(textOf('docs/services.html'), `href="/${placeOf(page).replace(/^index.html$/, '')}"`, page)
  })

  await t.test('shows package managers and schema libraries as tabs', async (t) => {
    t.match(textOf('index.html'), />pnpm<\/label>/)
    for (const name of ['zod', 'TypeBox', 'Valibot', 'ArkType'])
      t.match(textOf('docs/resource.html'), new RegExp(`>${name}</label>`))
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
      for (const place of ['', 'docs/services.html', 'docs/errors.html']) {
        await page.goto(`${address}/${place}`)
        await page.locator('h1').first().waitFor({ state: 'attached' })
        await checkAccessibility(t, page, `/${place}, ${width} pixels, ${colorScheme}`)
      }
      await context.close()
    }
})

t.test('code fits its column', { skip: howToInstall }, async (t) => {
  const { address, close } = await serveFolder(site)
  t.teardown(close)
  const context = await openContext(t, { viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  for (const file of pages) {
    await page.goto(`${address}/${placeOf(file).replace(/^index.html$/, '')}`)
    await page.locator('h1').first().waitFor({ state: 'attached' })
    // It runs in the page.
    const cut = await page.evaluate(`
      [...document.querySelectorAll('.vp-doc pre')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent.split('\\n').sort((a, b) => b.length - a.length)[0])`)
    t.same(cut, [], file)
  }
  await context.close()
})

t.test('a dead link fails the build', async (t) => {
  const folder = t.testdir({
    'README.md': '# A page\n\n[Nowhere](nowhere.md)\n',
    docs: {
      '.vitepress': Object.fromEntries(
        ['config.js', 'plain-pages.js', 'search.js', 'tabs.js'].map((file) => [file, read(`docs/.vitepress/${file}`)])
      )
    }
  })
  const { code, stdout, stderr } = await build(folder)
  t.not(code, 0)
  t.match(`${stdout}${stderr}`, /dead link.*nowhere/is)
})
