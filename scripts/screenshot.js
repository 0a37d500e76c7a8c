// Makes docs/images/atlas.png, the picture of the README: the page of the atlas, on a database of its own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { createApp } from '../dist/examples/atlas/app.js'
import { openDatabase } from '../dist/examples/atlas/database.js'
import { executablePath, howToInstall } from '../dist/test/support/chromium.js'

if (howToInstall) throw new Error(howToInstall)
const target = new URL('../docs/images/atlas.png', import.meta.url)
const viewport = { width: 1280, height: 900 }
const place = 'region=Africa&sort=-area&country=TCD'

const ada = { email: 'ada@example.com', name: 'Ada', password: 'correct horse' }
const notes = [
  { text: 'Lake Chad had a tenth of its water left in the 1990s. It has grown since.' },
  { text: 'Emi Koussi, a volcano in the Tibesti, is the highest mountain of the Sahara: 3,415 m.', pinned: true }
]

const folder = mkdtempSync(join(tmpdir(), 'atlas-'))
const app = await createApp(await openDatabase({ folder: join(folder, 'data') }))
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const page = await browser.newPage({ viewport, colorScheme: 'light', reducedMotion: 'reduce', locale: 'en-GB' })
  await page.goto(`${address}/#${place}`)
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
  await page.mouse.move(0, 0)
  // The address of the server is another one each time.
  const image = await page.screenshot()
  mkdirSync(new URL('.', target), { recursive: true })
  writeFileSync(target, image)
  console.log(`${fileURLToPath(target)}: ${image.length} bytes`)
} finally {
  await browser.close()
  await app.close()
  rmSync(folder, { recursive: true, force: true })
}
