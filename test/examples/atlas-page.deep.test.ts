import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { examples } from '../openapi/examples.js'

const app = await examples.atlas(t)
const get = (url: string, accept?: string) => app.inject({ url, headers: accept === undefined ? {} : { accept } })

const chromium = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'

t.test('/ is a page for browsers, and JSON for all others', async (t) => {
  const rows: [name: string, accept: string | undefined, type: string][] = [
    ['a browser', chromium, 'text/html; charset=utf-8'],
    ['a browser of long ago', 'text/html, */*', 'text/html; charset=utf-8'],
    ['curl', '*/*', 'application/json; charset=utf-8'],
    ['our client', 'application/json', 'application/json; charset=utf-8'],
    ['who says nothing', undefined, 'application/json; charset=utf-8'],
    ['who wants neither', 'image/png', 'application/json; charset=utf-8']
  ]
  for (const [name, accept, type] of rows) {
    const { statusCode, headers, body } = await get('/', accept)
    t.equal(statusCode, 200, name)
    t.equal(headers['content-type'], type, name)
    t.equal(headers.vary, 'Accept', name)
    if (type.startsWith('text/html')) t.match(body, /^<!DOCTYPE html>/)
    else t.match(JSON.parse(body), { countries: '/countries', document: '/openapi.json', documentation: '/docs' })
  }
})

t.test('the page loads nothing but what the atlas itself serves, by a strict policy', async (t) => {
  const page = await get('/', chromium)
  const loaded = [...page.body.matchAll(/(?:src|href)="(\/page\/[^"]+)"/g)].map(([, path]) => path as string)
  t.strictSame(loaded.sort(), ['/page/main.js', '/page/style.css', '/page/world.json'])
  for (const response of [page, ...(await Promise.all(loaded.map((path) => get(path))))]) {
    t.equal(response.statusCode, 200)
    t.match(response.headers['content-security-policy'], /^default-src 'none'; script-src 'self'; style-src 'self';/)
    t.notMatch(response.headers['content-security-policy'], /unsafe/)
    t.match(response.headers, {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache'
    })
  }
  t.notMatch(page.body, /<(script|style)>| on\w+=| style=/, 'no script and no style stands in it')
  for (const [, path] of page.body.matchAll(/href="(\/[a-z][^"]*)"/g))
    t.equal((await get(path as string)).statusCode, 200, `${path} is there`)
})

t.test('the map has each country', async (t) => {
  const { countries } = (await get('/page/world.json')).json() as { countries: Record<string, unknown[]> }
  const { data } = (await get('/countries?$limit=250&$select[]=cca3')).json() as { data: { cca3: string }[] }
  t.strictSame(Object.keys(countries).sort(), data.map(({ cca3 }) => cca3).sort())
  for (const [code, [path, x, y]] of Object.entries(countries)) {
    t.match(path, /^(M\d+ \d+l[\d -]+z)*$/, code)
    t.ok(Number.isInteger(x) && Number.isInteger(y), code)
  }
})

t.test('the document is the same at three addresses, and Swagger UI has a strict policy', async (t) => {
  const document = (await get('/openapi.json')).json()
  t.match(document, { openapi: /^3/, info: { title: 'Atlas' } })
  t.strictSame((await get('/docs/json')).json(), document)
  t.strictSame((await get('/explorer/document.json')).json(), document)
  t.notOk(
    Object.keys(document.paths).some((path) => /page|docs/.test(path)),
    'the pages are not in it'
  )
  const { statusCode, headers, body } = await get('/docs')
  t.equal(statusCode, 200)
  t.match(body, /swagger-ui/)
  t.match(headers['content-security-policy'], /^default-src 'none'; script-src 'self';/)
  t.notMatch(headers['content-security-policy'], /unsafe|https:/)
})

t.test('the document has examples for Swagger UI, which would make texts of the patterns', async (t) => {
  const { schemas } = (await get('/openapi.json')).json().components
  const { email, name, password } = schemas.UserData.properties
  for (const field of [email, name, password, schemas.NoteData.properties.text]) t.equal(field.examples.length, 1)
})

t.test('the picture of the page is there, and small', async (t) => {
  const { size } = statSync(fileURLToPath(new URL('../../../docs/images/atlas.png', import.meta.url)))
  t.ok(size > 20_000 && size < 300_000, `${size} bytes`)
})
