// Makes the pictures of the README, docs/images: the page of the atlas, and the explorer of a library, in both themes.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import explorer from 'fastify-services/explorer'
import { memory } from 'fastify-services/memory'
import { openapi } from 'fastify-services/openapi'
import { chromium } from 'playwright-core'
import { createApp } from '../dist/examples/atlas/app.js'
import { openDatabase } from '../dist/examples/atlas/database.js'
import { executablePath, howToInstall } from '../dist/test/support/chromium-path.js'
import { toPalettePNG } from './palette-png.js'

if (howToInstall) throw new Error(howToInstall)
const images = new URL('../docs/images/', import.meta.url)
const viewport = { width: 1280, height: 985 }
const place = 'region=Africa&sort=-area&country=TCD'

const ada = { email: 'ada@example.com', name: 'Ada', password: 'correct horse' }
const notes = [
  { text: 'Between 1963 and 1985 Lake Chad lost nine tenths of its area. It has grown since.' },
  { text: 'Emi Koussi, a volcano in the Tibesti, is the highest mountain of the Sahara: 3,415 m.', pinned: true }
]

// biome-ignore format: a table
const library = [
  ['Invisible Cities', 'Italo Calvino', '1972-11-03', 165],
  ['The Left Hand of Darkness', 'Ursula K. Le Guin', '1969-03-01', 286],
  ['Beloved', 'Toni Morrison', '1987-09-02', 324],
  ['Austerlitz', 'W. G. Sebald', '2001-02-21', 415],
  ['The Periodic Table', 'Primo Levi', '1975-05-01', 260, false],
  ['Pale Fire', 'Vladimir Nabokov', '1962-04-01', 315],
  ['Life: A User’s Manual', 'Georges Perec', '1978-09-01', 581],
  ['The Waves', 'Virginia Woolf', '1931-10-08', 324, false],
  ['Middlemarch', 'George Eliot', '1871-12-01', 904]
]
const authors = library.map(([, name]) => ({ name }))
const books = library.map(([title, , published, pages, inPrint = true], index) => ({
  title,
  authorId: index + 1,
  published,
  pages,
  inPrint
}))

// In place of the font of a desktop: a server has none, and the picture would look like nobody's browser.
const font = createRequire(import.meta.url).resolve('vitepress/dist/client/theme-default/fonts/inter-roman-latin.woff2')
const source = `url(data:font/woff2;base64,${readFileSync(font, 'base64')})`
const style = `@font-face { font-family: Inter; font-weight: 100 900; src: ${source} } body { font-family: Inter }`

const folder = mkdtempSync(join(tmpdir(), 'atlas-'))
const app = await createApp(await openDatabase({ folder: join(folder, 'data') }))
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  // The picture shows the address that `npm start` has.
  const address = await app.listen({ port: 3030, host: '127.0.0.1' })
  const page = await openPage(viewport)
  await page.goto(`${address}/#${place}`)
  await page.addStyleTag({ content: style })
  await page.getByRole('banner').getByRole('button', { name: 'Sign up' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(ada.name)
  await dialog.getByLabel('E-mail address').fill(ada.email)
  await dialog.getByLabel('Password').fill(ada.password)
  await dialog.getByRole('button', { name: 'Sign up' }).click()
  for (const { text, pinned } of notes) {
    await page.getByLabel('Note', { exact: true }).fill(text)
    if (pinned) await page.getByLabel('Pin it to the top').check()
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('article').getByText(text).waitFor()
  }
  await page.evaluate('document.activeElement.blur()')
  await save(page, 'atlas')
  await app.close()
  await showExplorer()
} finally {
  await browser.close()
  await app.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Shows the explorer of a library. */
async function showExplorer() {
  const server = Fastify()
  await server.register(swagger, openapi({ info: { title: 'Library', version: '1.0.0' } }))
  await server.register(services)
  const [id, text] = [{ type: 'integer' }, { type: 'string', maxLength: 200 }]
  const properties = {
    id,
    title: text,
    authorId: { ...id, 'x-refers-to': 'authors' },
    published: { type: 'string', format: 'date' },
    pages: { type: 'integer', minimum: 1 },
    inPrint: { type: 'boolean', default: true }
  }
  const options = { readOnly: ['id'], operators: { $ilike: text } }
  const book = { type: 'object', required: ['id', 'title', 'authorId'], properties }
  const author = { type: 'object', required: ['id', 'name'], properties: { id, name: text } }
  const paginate = { default: 10, max: 50 }
  server.service('authors', memory({ records: authors, paginate }), { schema: resource(author, options) })
  server.service('books', memory({ records: books, paginate }), { schema: resource(book, options) })
  await server.register(explorer)
  try {
    const address = await server.listen({ port: 3030, host: 'localhost' })
    const page = await openPage({ width: 1280, height: 640 })
    await page.goto(`${address}/explorer#/books?.pages.$gt=250&desc=published`)
    await page.addStyleTag({ content: style })
    await page.getByRole('link', { name: 'W. G. Sebald' }).waitFor()
    await page.getByRole('link', { name: '4', exact: true }).click()
    await page.locator('#drawer').getByRole('link', { name: 'W. G. Sebald' }).waitFor()
    await page.mouse.move(740, 600)
    await save(page, 'explorer')
  } finally {
    await server.close()
  }
}

function openPage(viewport) {
  const settings = { colorScheme: 'light', reducedMotion: 'reduce', bypassCSP: true }
  return browser.newPage({ viewport, deviceScaleFactor: 2, ...settings })
}

/** Saves a page in both themes. */
async function save(page, name) {
  mkdirSync(images, { recursive: true })
  const { width, height } = page.viewportSize()
  for (const [colorScheme, suffix] of [
    ['light', ''],
    ['dark', '-dark']
  ]) {
    await page.emulateMedia({ colorScheme })
    const image = toPalettePNG(await pixelsOf(await page.screenshot()), width * 2, height * 2)
    const target = new URL(`${name}${suffix}.png`, images)
    writeFileSync(target, image)
    console.log(`${fileURLToPath(target)}: ${image.length} bytes`)
  }
}

/** The browser reads its own picture. */
async function pixelsOf(image) {
  const page = await browser.newPage()
  const text = await page.evaluate(
    async (address) => {
      const picture = await createImageBitmap(await (await fetch(address)).blob())
      const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
      canvas.drawImage(picture, 0, 0)
      const { data } = canvas.getImageData(0, 0, picture.width, picture.height)
      return Array.from({ length: picture.height }, (_, row) =>
        btoa(String.fromCharCode(...data.subarray(row * picture.width * 4, (row + 1) * picture.width * 4)))
      )
    },
    `data:image/png;base64,${image.toString('base64')}`
  )
  return Buffer.concat(text.map((row) => Buffer.from(row, 'base64')))
}
