import type { Page } from 'playwright-core'
import t from 'tap'
import { run } from '../package/pack.js'
import { root } from '../package/sources.js'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer, openSite, user } from './site.js'

t.setTimeout(200_000)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const request = (page: Page) => page.locator('#code').innerText()
const status = (page: Page) => page.locator('#status').innerText()
const titles = async (page: Page) => (await page.locator('tbody td:nth-child(2)').allInnerTexts()).join(' ')

async function logIn(page: Page, password = user.password): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Log in' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('email').fill(user.email)
  await dialog.getByLabel('password').fill(password)
  await dialog.getByRole('button', { name: 'Log in' }).click()
}

t.test('what a visitor does', { skip: howToInstall }, async (t) => {
  const { address } = await openSite(t)
  const page = await openExplorer(t, address)

  await t.test('the services are those of the document, the first one is shown', async (t) => {
    await page.getByText('1–10 of 12').waitFor()
    await eventually(t).equal(() => page.title(), 'posts · Blog')
    const names = await page.getByRole('navigation').getByRole('link').allInnerTexts()
    t.strictSame(names, ['/posts', '/:post/comments', '/loose', '/authentication'])
    await eventually(t).equal(() => page.getByText('What authors write.').count(), 1)
    t.equal((await titles(page)).startsWith('Post 1 Post 2 '), true)
    await eventually(t).match(() => status(page), /^200 OK · .*\d m?s · [\d.]+ k?B$/)
  })

  await t.test('sorts by heading, up, down, and as it was', async (t) => {
    await button(page, 'words').click()
    await page.locator('th[aria-sort=ascending]').waitFor()
    await button(page, 'words').click()
    await page.locator('th[aria-sort=descending]').waitFor()
    await page.getByRole('cell', { name: 'Post 12' }).waitFor()
    t.equal((await titles(page)).startsWith('Post 12 Post 11 '), true)
    await eventually(t).match(() => request(page), `${address}/posts?$sort[words]=-1'`)
    await eventually(t).match(
      () => page.evaluate('document.activeElement.textContent'),
      /^words/,
      'who sorts goes on there'
    )
    await button(page, 'words').click()
    await page.getByRole('cell', { name: 'Post 1', exact: true }).waitFor()
  })

  await t.test('pages', async (t) => {
    await button(page, 'Next').click()
    await page.getByText('11–12 of 12').waitFor()
    await eventually(t).equal(() => button(page, 'Next').isDisabled(), true)
    await button(page, 'Previous').click()
    await page.getByText('1–10 of 12').waitFor()
    await page.getByLabel('Per page').selectOption('25')
    await page.getByText('1–12 of 12').waitFor()
  })

  await t.test('filters by fields and operators; the request follows each key', async (t) => {
    await button(page, 'Add a condition').click()
    await page.getByLabel('Field').selectOption('words')
    await page.getByLabel('Operator').selectOption('≥')
    await page.getByLabel('Value').pressSequentially('110')
    await eventually(t).match(() => request(page), 'words[$gte]=110')
    await button(page, 'Add a condition').click()
    await page.getByLabel('Field').nth(1).selectOption('isOpen')
    await page.getByLabel('Value').nth(1).selectOption('true')
    await eventually(t).match(() => request(page), 'words[$gte]=110&isOpen=true')
    await page.getByLabel('Value').first().press('Enter')
    await page.getByText('1–1 of 1').waitFor()
    await eventually(t).equal(() => titles(page), 'Post 12')
    await page.reload()
    await page.getByText('1–1 of 1').waitFor()
    await eventually(t).equal(() => page.getByLabel('Value').first().inputValue(), '110', 'it stands in the address')
    await button(page, 'Remove condition 2').click()
    await page.evaluate(`location.hash = '#/posts?.words.%24gte=x'`)
    await page.getByRole('alert').getByText('words[$gte] must be an integer').waitFor()
    await page.goBack()
    await page.getByText('1–1 of 1').waitFor()
  })

  await t.test('chooses columns', async (t) => {
    await page.getByText('Columns').click()
    await page.getByRole('checkbox', { name: 'note' }).uncheck()
    await page.getByRole('checkbox', { name: 'note', checked: false }).waitFor()
    await eventually(t).match(() => request(page), '$select[0]=id&$select[1]=title')
  })

  await t.test('opens a record, and finds back', async (t) => {
    await link(page, '12').click()
    await page.getByRole('definition').getByText('Post 12').waitFor()
    await eventually(t).match(() => request(page), `curl '${address}/posts/12'`)
    await page.getByRole('main').getByRole('link', { name: '/posts' }).click()
    await page.getByText('1–1 of 1').waitFor()
    await link(page, '12').click()
  })

  await t.test('edits: what has changed is sent', async (t) => {
    await link(page, 'Edit').click()
    await page.getByLabel('title').fill(`It's "new"`)
    await button(page, 'Add to tags').click()
    await page.getByLabel('tags 2', { exact: true }).fill('b')
    await eventually(t).match(() => request(page), `--data-raw '{"title":"It'\\''s \\"new\\"","tags":["a","b"]}'`)
    await button(page, 'Save').click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('definition').getByText(`It's "new"`).waitFor()
  })

  await t.test('an error is shown where it belongs, and what is typed stays', async (t) => {
    await link(page, 'Replace').click()
    await page.getByLabel('title').fill('')
    await button(page, 'Replace').click()
    await page.getByRole('alert').getByText('400 BadRequest').waitFor()
    await eventually(t).equal(() => page.getByLabel('title').getAttribute('aria-invalid'), 'true')
    await eventually(t).equal(
      () => page.evaluate('document.activeElement.tagName'),
      'INPUT',
      'it is the field that is wrong'
    )
    await eventually(t).match(() => status(page), /^400 Bad Request/)
    await page.getByLabel('title').fill('Replaced')
    await eventually(t).equal(() => page.getByLabel('title').getAttribute('aria-invalid'), null)
    await button(page, 'Replace').click()
    await page.getByText('Replaced. 200 OK').waitFor()
  })

  await t.test('methods of its own: by their routes, and by the header', async () => {
    await link(page, '/posts').first().click()
    await link(page, '1').click()
    await link(page, 'Publish').click()
    // The page of the record is there until that of the method is.
    await page.locator('#code').getByText(`curl -X POST '${address}/posts/1/publish'`).waitFor()
    await button(page, 'Publish').click()
    await page.getByText('Done. 200 OK').waitFor()
    await page.getByLabel('Result').getByRole('img', { name: 'true' }).waitFor()
    await link(page, '/posts').first().click()
    await link(page, 'Count').click()
    await page.locator('#code').getByText(`-H 'X-Service-Method: count'`).waitFor()
    await page.getByLabel('JSON').fill('{ "a": 1')
    await button(page, 'Count').click()
    await page.getByText('This is not JSON').waitFor()
    await page.getByLabel('JSON').fill('{ "a": 1 }')
    await button(page, 'Count').click()
    await page.getByLabel('Result').getByText('12', { exact: true }).waitFor()
  })

  await t.test('logs in where a method asks for it; what is typed stays', async (t) => {
    await link(page, '/posts').first().click()
    await link(page, '2').click()
    await link(page, 'Remove').click()
    await button(page, 'Remove').click()
    await page.getByRole('alert').getByText('401 NotAuthenticated').waitFor()
    await logIn(page, 'wrong')
    await page.getByRole('dialog').getByText('Invalid login').waitFor()
    await button(page, 'Cancel').click()
    await logIn(page)
    await page.getByText(user.email).waitFor()
    await eventually(t).match(() => request(page), /-H 'Authorization: Bearer ey[\w.-]+'/)
    await button(page, 'Remove').click()
    await page.getByText('Removed.').waitFor()
    await page.getByText('1–10 of 11').waitFor()
    await page.reload()
    await page.getByText(user.email).waitFor()
  })

  await t.test('creates, and the copied line does it again', async (t) => {
    await link(page, 'Create').click()
    await page.getByLabel('title').fill(`A 'new' one`)
    await page.getByLabel('words').fill('7')
    await button(page, 'Copy').click()
    await page.getByText('Copied').waitFor()
    const line = await page.evaluate<string>('navigator.clipboard.readText()')
    t.match(line, /Authorization: Bearer ey[\w.-]{60}/)
    t.match(await run(root, 'sh', '-c', line), { code: 0, stdout: /"title":"A 'new' one","words":7/ })
    await button(page, 'As JSON').click()
    const json = page.getByLabel('JSON', { exact: true })
    await eventually(t).match(() => json.inputValue(), '"words": 7')
    await json.fill('{ "title": "Typed", "words": 8 }')
    await button(page, 'As fields').click()
    await eventually(t).equal(() => page.getByLabel('words').inputValue(), '8')
    await button(page, 'Create').click()
    await page.getByText('Created. 201 Created').waitFor()
    await link(page, 'Open the record').click()
    await page.getByRole('definition').getByText('Typed').waitFor()
    await eventually(t).match(() => page.locator('#drawer h2').innerText(), '/posts › 14')
  })

  await t.test('the three forms of a request, by keyboard', async (t) => {
    await page.getByRole('tab', { name: 'curl' }).focus()
    await page.keyboard.press('ArrowRight')
    await eventually(t).match(() => request(page), /^const response = await fetch\(/)
    await page.keyboard.press('ArrowRight')
    await eventually(t).match(() => request(page), `app.service('posts').get('14')`)
    await page.keyboard.press('ArrowRight')
    await eventually(t).match(() => request(page), /^curl /)
  })

  await t.test('placeholders of a path are asked for', async (t) => {
    await link(page, '/:post/comments').click()
    await page.getByText('Fill in :post to see records.').waitFor()
    await page.getByLabel(':post').fill('7')
    await eventually(t).match(() => request(page), `${address}/posts/7/comments`)
    await button(page, 'Find').click()
    await page.getByText('There are no records.').waitFor()
    await link(page, 'Create').click()
    await page.getByLabel('text').fill('Hi')
    await button(page, 'Create').click()
    await page.getByRole('definition').getByText('Hi').waitFor()
    await link(page, 'Open the record').click()
    await page.locator('#code').getByText('/comments/1').waitFor()
    await eventually(t).match(() => request(page), `${address}/posts/7/comments/1`)
    await page.evaluate(`location.hash = '#/posts/:post/comments?call=patch'`)
    await page.getByLabel('id', { exact: true }).fill('8')
    await eventually(t).equal(() => request(page), 'Fill in :post to see the request.')
    await page.locator('#drawer').getByLabel(':post').fill('9')
    await page.getByLabel('text').fill('Ho')
    await eventually(t).match(() => request(page), `${address}/posts/9/comments/8`)
  })

  await t.test('a service that the document says nothing of', async () => {
    await link(page, '/loose').click()
    await link(page, 'Create').click()
    await page.getByLabel('JSON').fill('{ "name": "Ada", "deep": { "a": [1] } }')
    await button(page, 'Create').click()
    await page.getByText('Created.').waitFor()
    await page.getByRole('main').getByRole('link', { name: '/loose' }).click()
    await button(page, 'Add a condition').click()
    await page.getByLabel('Field').fill('name')
    await page.getByLabel('Value').fill('Ada')
    await page.keyboard.press('Enter')
    await page.getByText('1–1 of 1').waitFor()
  })

  await t.test('a password is covered, and copied', async (t) => {
    await link(page, '/authentication').click()
    await link(page, 'As a request').click()
    await page.getByLabel('Kind').selectOption('local')
    await page.getByLabel('email').fill(user.email)
    await page.getByLabel('password').fill(user.password)
    await eventually(t).equal(() => page.locator('#code .secret').innerText(), `"${user.password}"`)
    await eventually(t).equal(
      () => page.evaluate(`getComputedStyle(document.querySelector('#code .secret')).color`),
      'rgba(0, 0, 0, 0)'
    )
    await button(page, 'Copy').click()
    await page.getByText('Copied').waitFor()
    const line = await page.evaluate<string>('navigator.clipboard.readText()')
    t.match(await run(root, 'sh', '-c', line), { code: 0, stdout: /"accessToken":"ey/ })
    await button(page, 'As JSON').click()
    t.notMatch(await page.getByLabel('JSON', { exact: true }).inputValue(), user.password)
    await eventually(t).equal(() => page.getByLabel('password').getAttribute('type'), 'password')
    await eventually(t).equal(
      () => page.locator('#code .secret').innerText(),
      `"${user.password}"`,
      'it is sent all the same'
    )
    await button(page, 'As fields').click()
    await eventually(t).equal(() => page.getByLabel('password').inputValue(), user.password)
  })

  await t.test('logs out', async (t) => {
    await button(page, 'Log out').click()
    await page.getByRole('banner').getByRole('button', { name: 'Log in' }).waitFor()
    t.notMatch(await request(page), 'Authorization')
  })
})

t.test('a server that has gone', { skip: howToInstall }, async (t) => {
  const { app, address } = await openSite(t)
  const page = await openExplorer(t, address)
  await page.getByText('1–10 of 12').waitFor()
  await app.close()
  await button(page, 'Next').click()
  await page.getByRole('alert').getByText(`${address} could not be reached.`).waitFor()
})
