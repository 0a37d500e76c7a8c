import Fastify from 'fastify'
import explorer from 'fastify-services/explorer'
import t, { type Test } from 'tap'
import { howToInstall } from '../support/chromium.js'
import { openExplorer } from './site.js'

t.setTimeout(900_000)

const code = `<img src=x onerror="globalThis.hit = 1"><script>globalThis.hit = 1</script>`
const quotes = `' onfocus=globalThis.hit=1 autofocus "`
const url = 'javascript:globalThis.hit=1'
const names = ['__proto__', 'constructor', 'toString', code, quotes, 'a\tb\n', '\u202eevil']

/** A document of services that nobody would write, on a server that answers as it was written by the same hand. */
async function openHostile(t: Test): Promise<string> {
  const app = Fastify()
  t.teardown(() => app.close())
  const properties = Object.fromEntries([...names, 'id'].map((name) => [name, { type: 'string', description: code }]))
  const schema = { type: 'object', properties, required: names }
  const content = { 'application/json': { schema } }
  const parameters = names.map((name) => ({
    in: 'query',
    name,
    description: code,
    schema: { enum: [code, quotes, url] }
  }))
  const path = (service: string, method: string, route: string) => ({
    'x-service': { path: service, method, route, id: 'id' },
    ...{ summary: code, description: code, parameters, tags: [url] },
    requestBody: { content },
    responses: { 200: { content } }
  })
  const paths = names.map((name) => {
    const { requestBody: _, ...find } = path(name, 'find', 'GET /')
    return [`/${name}`, { get: find, post: path(name, 'create', 'POST /'), put: path(name, code, 'PUT /') }]
  })
  const of = (method: string, verb: string) => ({ [verb]: path('posts', method, `${verb.toUpperCase()} /:id`) })
  const document = {
    info: { title: code, version: code },
    tags: names.map((name) => ({ name, description: code })),
    servers: [{ url }],
    paths: Object.fromEntries([
      ['/posts', { get: path('posts', 'find', 'GET /') }],
      ['/posts/{id}', { ...of('get', 'get'), ...of('patch', 'patch') }],
      ...paths
    ]),
    components: { securitySchemes: { a: { type: 'apiKey', in: 'header', name: code } } }
  }
  const record = (id: unknown) => Object.fromEntries([...names.map((name) => [name, `${code}${url}`]), ['id', id]])
  const json = (url: string, body: unknown) =>
    app.get(url, (_request, reply) => reply.type('application/json').send(JSON.stringify(body)))
  json('/document', document)
  await app.register(explorer, { document: '/document', title: code })
  const records = [record(url), record(code), record(quotes), record('../..'), record({ toString: 1 }), record(7)]
  json('/posts', { total: code, limit: url, skip: {}, data: records })
  json('/posts/*', record(code))
  const error = {
    name: code,
    message: code,
    code: 400,
    errors: { [code]: code, id: [code], toString: quotes },
    data: { retryAfter: url }
  }
  app.all('/*', (_request, reply) => reply.code(400).type('application/json').send(JSON.stringify(error)))
  return app.listen({ port: 0, host: '127.0.0.1' })
}

t.test('nothing of a document or a record becomes HTML, code or an address', { skip: howToInstall }, async (t) => {
  const address = await openHostile(t)
  const page = await openExplorer(t, address)
  page.on('dialog', () => t.fail('a dialog opens'))
  const inert = async (what: string) => {
    t.equal(await page.evaluate('globalThis.hit'), undefined, what)
    t.equal(await page.locator('img, iframe, object, embed, style ~ script').count(), 0, `${what}: no elements`)
    const links = await page
      .locator('a')
      .evaluateAll((all) =>
        all.map((link) => (link as unknown as { getAttribute(name: string): string | null }).getAttribute('href'))
      )
    t.strictSame(
      links.filter((href) => !href?.startsWith('#/')),
      [],
      `${what}: links lead within the page`
    )
    t.ok(page.url().startsWith(`${address}/explorer`), `${what}: it stays where it is`)
  }
  await page.getByText('1–6').waitFor()
  t.equal(await page.locator('h1').innerText(), code)
  await inert('a list')

  for (const [index, name] of (await page.locator('tbody a').allInnerTexts()).entries()) {
    await page.locator('tbody a').nth(index).click()
    await page.locator('.record').waitFor()
    await inert(`the record ${name}`)
    await page.goBack()
    await page.getByText('1–6').waitFor()
  }
  await page.locator('tbody a').first().click()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('textbox').first().fill(code)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  await inert('a form with an error')

  const services = page.getByRole('navigation').getByRole('link')
  t.equal(await services.count(), names.length + 1)
  for (let index = 1; index <= names.length; index++) {
    await services.nth(index).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByLabel('Field').selectOption('__proto__')
    await page.getByLabel('Value').selectOption(quotes)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('link', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'As JSON' }).click()
    await page
      .getByLabel('JSON')
      .fill('{ "__proto__": { "polluted": 1 }, "constructor": { "prototype": { "polluted": 1 } } }')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.locator('#drawer').getByRole('alert').waitFor()
    await inert(`the service ${names[index - 1]}`)
  }
  t.equal(await page.evaluate('({}).polluted'), undefined)
  await page.getByRole('button', { name: 'Log in' }).click()
  await inert('the keys that it asks for')
})

t.test('a document that can not be had, or is none', { skip: howToInstall }, async (t) => {
  for (const [body, status, text] of [
    ['{}', 404, 'was answered with 404'],
    ['no JSON', 200, 'could not be read'],
    ['null', 200, 'The document has no services'],
    ['{ "paths": { "/a": 7 } }', 200, 'The document has no services']
  ] as const) {
    const app = Fastify()
    t.teardown(() => app.close())
    app.get('/document', (_request, reply) => reply.code(status).type('application/json').send(body))
    await app.register(explorer, { document: '/document' })
    const page = await openExplorer(t, await app.listen({ port: 0, host: '127.0.0.1' }))
    await page.getByRole('main').getByText(text).waitFor()
    await page.close()
  }
})

t.test('the policy of the page holds', { skip: howToInstall }, async (t) => {
  const address = await openHostile(t)
  const context = await openExplorer(t, address)
  const page = await context.context().newPage()
  await page.goto(`${address}/explorer`)
  const run = (code: string) => page.evaluate<string>(`try { ${code}; 'done' } catch (error) { error.name }`)
  t.equal(await run(`document.body.innerHTML = '<b>a</b>'`), 'TypeError', 'no HTML is made of a text')
  t.equal(await run(`const one = document.createElement('script'); one.src = '/a.js'`), 'TypeError')
  t.equal(
    await run(
      `const one = document.createElement('a'); one.setAttribute('onclick', 'globalThis.hit = 1'); document.body.append(one); one.click()`
    ),
    'TypeError'
  )
  t.equal(
    await page.evaluate(`fetch('http://127.0.0.1:9').catch((error) => error.name)`),
    'TypeError',
    'nothing is asked elsewhere'
  )
  t.equal(await page.evaluate('globalThis.hit'), undefined)
})
