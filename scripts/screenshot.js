// Makes docs/images/atlas.png, the picture of the README: the page of the atlas, on a database of its own.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { createApp } from '../dist/examples/atlas/app.js'
import { openDatabase } from '../dist/examples/atlas/database.js'
import { executablePath, howToInstall } from '../dist/test/support/chromium.js'
import { toPalettePNG } from './palette-png.js'

if (howToInstall) throw new Error(howToInstall)
const target = new URL('../docs/images/atlas.png', import.meta.url)
const viewport = { width: 1280, height: 985 }
const place = 'region=Africa&sort=-area&country=TCD'

const ada = { email: 'ada@example.com', name: 'Ada', password: 'correct horse' }
const notes = [
  { text: 'Between 1963 and 1985 Lake Chad lost nine tenths of its area. It has grown since.' },
  { text: 'Emi Koussi, a volcano in the Tibesti, is the highest mountain of the Sahara: 3,415 m.', pinned: true }
]

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
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce', bypassCSP: true })
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
  const image = toPalettePNG(await pixelsOf(await page.screenshot()), viewport.width, viewport.height)
  mkdirSync(new URL('.', target), { recursive: true })
  writeFileSync(target, image)
  console.log(`${fileURLToPath(target)}: ${image.length} bytes`)
} finally {
  await browser.close()
  await app.close()
  rmSync(folder, { recursive: true, force: true })
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
