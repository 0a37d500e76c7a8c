import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import tap, { type Test } from 'tap'
import { executablePath, howToInstall } from './chromium-path.js'

export { executablePath, howToInstall }

const browsers = new Map<boolean, ReturnType<typeof chromium.launch>>()

interface ContextOptions extends BrowserContextOptions {
  /** Whether its pages may ask servers of other origins only as CORS allows it. */
  hasCORS?: boolean
}

/** A context of its own, closed when the test ends, in a browser that the tests of a file share. Its pages may ask servers of other origins. */
export async function openContext(
  t: Test,
  { hasCORS = false, ...options }: ContextOptions = {}
): Promise<BrowserContext> {
  let browser = browsers.get(hasCORS)
  if (browser === undefined) {
    // Without it, a program takes the place of the graphics card that a server lacks, which is a third of all that a browser does there.
    const args = ['--no-sandbox', '--disable-gpu', ...(hasCORS ? [] : ['--disable-web-security'])]
    const launched = chromium.launch({ executablePath: executablePath as string, args })
    browser = launched
    browsers.set(hasCORS, launched)
    tap.teardown(async () => (await launched).close())
  }
  const context = await (await browser).newContext(options)
  t.teardown(() => context.close())
  return context
}

const bundles = new Map<string, Promise<string>>()

/** The text of a module of the tests, with all that it imports, for a browser. */
export function bundle(file: string): Promise<string> {
  const text = bundles.get(file) ?? make(file)
  bundles.set(file, text)
  return text
}

async function make(file: string): Promise<string> {
  const entry = fileURLToPath(new URL(file, import.meta.url))
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false
  })
  return outputFiles[0]?.text ?? ''
}

let page: Promise<Page> | undefined

/** A page that has loaded the bundle of `client-page.ts`; all tests of a file share it. */
export function sharePage(): Promise<Page> {
  page ??= openPage(tap as Test)
  return page
}

/** A page of its own that has loaded a bundle. */
export async function openPage(
  t: Test,
  options: ContextOptions = {},
  file = 'client-page.js',
  search = ''
): Promise<Page> {
  const script = await bundle(file)
  const server = createServer((request, response) => {
    const isScript = request.url === '/bundle.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : '<!DOCTYPE html><title>test</title><script src="/bundle.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const context = await openContext(t, options)
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${search}`)
  return page
}
