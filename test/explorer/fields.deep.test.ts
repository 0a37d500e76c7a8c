import multipart from '@fastify/multipart'
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import explorer from 'fastify-services/explorer'
import { memory } from 'fastify-services/memory'
import { openapi } from 'fastify-services/openapi'
import t from 'tap'
import { checkAccessibility } from '../support/accessibility.js'
import { howToInstall } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { openExplorer } from './site.js'

t.setTimeout(120_000)

const long = 'aValueThatIsMuchLongerThanTheScreenOfAnyPhoneAndHasNoPlaceToBreak'
const card = {
  type: 'object',
  required: ['id', 'tags'],
  properties: {
    id: { type: 'integer' },
    title: { type: 'string' },
    due: { type: ['integer', 'null'] },
    isOpen: { type: 'boolean' },
    kind: { enum: [long, 'short'] },
    [long]: { type: 'array', items: { enum: [long, 'short'] }, minItems: 1 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1 }
  }
} as const
const photo = {
  type: 'object',
  required: ['id', 'image'],
  properties: {
    id: { type: 'integer' },
    image: { type: 'string', format: 'binary', contentMediaType: 'image/png', maxLength: 1_000_000 }
  }
} as const
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64'
)

t.test('fields, as people fill them in', { skip: howToInstall }, async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Cards', version: '1.0.0' } }))
  await app.register(multipart)
  await app.register(services)
  const operators = { $ilike: { type: 'string' } } as const
  const cards = app.service('cards', memory(), { schema: resource(card, { readOnly: ['id'], operators }) })
  app.service('photos', memory(), { schema: resource(photo, { readOnly: ['id'] }) })
  await app.register(explorer)
  for (const data of [
    { title: 'Old maps', due: 1, tags: ['a'] },
    { title: 'Atlas', due: null, tags: ['a'] }
  ])
    await cards.create(data)
  const page = await openExplorer(t, await app.listen({ port: 0, host: '127.0.0.1' }), {
    viewport: { width: 390, height: 800 }
  })
  const open = (hash: string) => page.evaluate(`location.hash = '#/${hash}'`)
  const field = (name: string) => page.getByLabel(name, { exact: true })
  const request = () => page.locator('#code').innerText()
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  await t.test('long words do not make a form wider than a phone', async (t) => {
    await open('cards?call=create')
    await button(`Add to ${long}`).click()
    await field('kind').selectOption(long)
    await field(`${long} 1`).selectOption('short')
    await checkAccessibility(t, page, 'a form of long words')
  })

  await t.test('a box that nobody has to decide can be as it was', async (t) => {
    for (const [sent, state] of [
      [/"isOpen":true/, true],
      [/"isOpen":false/, false]
    ] as const) {
      await field('isOpen').click()
      await eventually(t).match(request, sent)
      t.equal(await field('isOpen').isChecked(), state)
    }
    await field('isOpen').click()
    await eventually(t).equal(async () => /isOpen/.test(await request()), false)
  })

  await t.test('the message of a list goes when the list changes', async (t) => {
    const message = page.getByRole('group', { name: 'tags required', exact: true }).getByText('must')
    await button('Create').click()
    await message.waitFor()
    await button('Add to tags').click()
    await eventually(t).equal(() => message.count(), 0)
  })

  await t.test('a file says what it may be, and an image is shown', async (t) => {
    await open('photos?call=create')
    await page.getByText('PNG, up to 1 MB').waitFor()
    const input = page.getByLabel('image required')
    t.equal(await input.getAttribute('accept'), 'image/png')
    await input.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png })
    await eventually(t).equal(() => page.evaluate(`document.querySelector('.preview img').naturalWidth`), 1)
  })

  await t.test('conditions: contains, is empty', async (t) => {
    const find = async (name: string, operator: string, text?: string) => {
      await open('cards')
      await button('Add a condition').click()
      await page.getByLabel('Field').selectOption(name)
      await page.getByLabel('Operator').selectOption(operator)
      if (text !== undefined) await field('Value').fill(text)
      await button('Find').click()
      await page.getByText('1–1 of 1').waitFor()
      return page.locator('tbody td:nth-child(2)').innerText()
    }
    t.equal(await find('title', 'contains', 'MAP'), 'Old maps')
    t.equal(await find('due', 'is empty'), 'Atlas')
    await page.reload()
    await page.getByText('1–1 of 1').waitFor()
  })
})
