import t, { type Test } from 'tap'
import { howToInstall, openPage } from '../support/chromium.js'
import type { Api } from '../support/client-api.js'
import { createEcho } from '../support/client-app.js'

declare const window: { api: Api; jquery: { ajaxSetup(settings: object): void } }

t.test('`$.ajaxSetup` of the page changes neither the query nor the body', { skip: howToInstall }, async (t) => {
  const { address, asked } = await createEcho(t)
  const page = await openPage(t as Test)
  await page.evaluate(async (base) => {
    window.jquery.ajaxSetup({ cache: false, data: { more: 1 }, contentType: 'text/plain', processData: true })
    const things = window.api.client(base).service('things')
    await things.find({ query: { a: 1 } })
    await things.create({ b: 1 })
    await things.remove('1')
  }, address)
  t.same(
    asked.map(({ method, url, headers, body }) => [method, url, headers['content-type'], body]),
    [
      ['GET', '/things?a=1', undefined, ''],
      ['POST', '/things', 'application/json', '{"b":1}'],
      ['DELETE', '/things/1', undefined, '']
    ]
  )
})

t.test('a call that `beforeSend` of the page stops rejects', { skip: howToInstall }, async (t) => {
  const { address, asked } = await createEcho(t)
  const page = await openPage(t as Test)
  const outcome = await page.evaluate((base) => {
    window.jquery.ajaxSetup({ beforeSend: () => false })
    const { client, outcome } = window.api
    return outcome(() => client(base).service('things').find())
  }, address)
  t.match(outcome, { code: 503, hasCause: true })
  t.same(asked, [])
})
