import t, { type Test } from 'tap'
import { examples } from '../openapi/examples.js'
import { howToInstall } from '../support/chromium.js'
import { serviceAt } from '../support/events-app.js'
import { eventually } from '../support/eventually.js'
import { Visitor } from './atlas-visitor.js'

t.setTimeout(900_000)

async function come(t: Test, path: string, options = {}): Promise<Visitor> {
  const app = await examples.atlas(t)
  return Visitor.come(t, await app.listen({ port: 0, host: '127.0.0.1' }), options, path)
}

t.test('an address leads to what there is, whatever it says', { skip: howToInstall }, async (t) => {
  const visitor = await come(t, '/')
  const rows: [hash: string, count: string][] = [
    ['#page=99', '235–250 of 250 countries'],
    ['#page=15&region=Africa', '55–59 of 59 countries'],
    ['#page=2&region=Nowhere', 'No countries'],
    ['#page=-1', '1–18 of 250 countries'],
    ['#sort=-foo&landlocked=1&country=che', '1–18 of 250 countries'],
    [`#search=${'a'.repeat(79)}😀`, 'No countries'],
    ['#search=A%CC%8Aland', '1 country'],
    ['#%%%', '1–18 of 250 countries']
  ]
  for (const [hash, count] of rows) {
    await visitor.page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await visitor.count(count)
    t.pass(hash)
  }
})

t.test('the way back', { skip: howToInstall }, async (t) => {
  const visitor = await come(t, '/')
  const { page } = visitor
  const steps = () => page.evaluate<number>('history.length')
  const search = page.getByLabel('Search')
  await visitor.count('1–18 of 250 countries')
  const before = await steps()
  await page.getByLabel('Region').selectOption('Africa')
  await search.fill('guinea')
  await visitor.count('1–3 of 3 countries')
  t.equal(await steps(), before + 1, 'leads through no letter')
  await page.goBack()
  await visitor.count('1–18 of 250 countries')
  await eventually(t).equal(() => search.inputValue(), '', 'leads the search back too, where somebody still is in it')
  for (const _ of ['once', 'and again']) await page.getByRole('link', { name: 'Albania' }).click()
  await page.getByRole('heading', { name: 'Albania' }).waitFor()
  t.equal(await steps(), before + 1, 'leads once to a country that was chosen twice')
})

t.test('the map goes to the country that is open, and back', { skip: howToInstall }, async (t) => {
  const { page, button } = await come(t, '/#country=CHE', { viewport: { width: 768, height: 900 } })
  const isNear = (near: boolean) => page.locator(near ? '#world.near' : '#world:not(.near)').waitFor()
  await page.locator('#world .open').waitFor({ state: 'attached' })
  await isNear(true)
  const width = await page.evaluate<number>('document.querySelector("#world .open").getBoundingClientRect().width')
  t.ok(width > 15, `Switzerland is ${width} pixels wide`)
  await button('Close').click()
  await isNear(false)
  const tops = await Promise.all([page.locator('h1'), button('Sign up').first()].map((item) => item.boundingBox()))
  t.ok(Math.abs((tops[0]?.y ?? 0) - (tops[1]?.y ?? 99)) < 20, 'name and account stand in one line')
})

t.test('of more notes than the page shows it says where they are', { skip: howToInstall }, async (t) => {
  const app = await examples.atlas(t)
  const notes = serviceAt(app, 'countries/:code/notes')
  const route = { code: 'CHE' }
  for (let batch = 0; batch < 3; batch++)
    await notes.create(
      Array.from({ length: 90 }, () => ({ ...route, text: 'Alps', pinned: false })),
      { route }
    )
  const { page, button } = await Visitor.come(t, await app.listen({ port: 0, host: '127.0.0.1' }), {}, '/#country=CHE')
  await page.getByText('Notes (270)').waitFor()
  const rest = page.getByText('These are the first 250.')
  while (!(await rest.isVisible()))
    await Promise.race([
      button('Show more')
        .click({ timeout: 5000 })
        .catch(() => {}),
      rest.waitFor().catch(() => {})
    ])
  await page.getByRole('link', { name: 'explorer', exact: true }).last().click()
  await page.getByText('of 270').waitFor()
  t.pass('the explorer has all of them')
})

t.test('without the outlines there is no map, and without a script a word', { skip: howToInstall }, async (t) => {
  const visitor = await come(t, '/')
  await visitor.page.route('**/world.json', (route) => route.fulfill({ status: 404 }))
  await visitor.page.reload()
  await visitor.count('1–18 of 250 countries')
  await visitor.page.getByRole('region', { name: 'Map' }).waitFor({ state: 'detached' })
  const { page } = await come(t, '/', { javaScriptEnabled: false })
  await eventually(t).match(() => page.locator('noscript').innerText(), /^This page is a script/)
  await eventually(t).equal(() => page.getByRole('button').count(), 0, 'nothing is there that does nothing')
})

t.test(
  'in a small window no number breaks, and the end of the table can be reached',
  { skip: howToInstall },
  async (t) => {
    const { page } = await come(t, '/#region=Europe&country=CHE', { viewport: { width: 320, height: 500 } })
    await page.getByRole('heading', { name: 'Switzerland' }).waitFor()
    const measure = (what: string) => page.evaluate<number>(what)
    const heights = '[...document.querySelectorAll("td.number")].map((cell) => cell.clientHeight)'
    t.ok((await measure(`Math.max(...${heights})`)) < 60, 'a number stands in one line')
    const scroll = 'document.querySelector(".scroll")'
    t.equal(await measure(`${scroll}.scrollWidth - ${scroll}.clientWidth`), 0, 'the table is no wider than the window')
    for (const [height, position] of [
      [600, 'static'],
      [900, 'sticky']
    ] as const) {
      await page.setViewportSize({ width: 1280, height })
      await eventually(t).equal(
        () => page.evaluate('getComputedStyle(document.querySelector("#list")).position'),
        position
      )
    }
  }
)
