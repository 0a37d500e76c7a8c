import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { checkAccessibility } from '../support/accessibility.js'
import { openContext } from '../support/chromium.js'

export interface Account {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** Somebody with a browser on the page of the atlas. What its console says is a failure, but that an answer was an error. */
export class Visitor {
  readonly #t: Test
  readonly #address: string
  readonly context: BrowserContext
  readonly page: Page

  private constructor(t: Test, address: string, context: BrowserContext, page: Page) {
    this.#t = t
    this.#address = address
    this.context = context
    this.page = page
    page.setDefaultTimeout(20_000)
    page.on('console', (message) => {
      if (!/^Failed to load resource/.test(message.text())) t.fail(`the console says: ${message.text()}`)
    })
    page.on('pageerror', (error) => t.fail(`an error on the page: ${error.message}`))
  }

  static async come(t: Test, address: string, options: BrowserContextOptions = {}, path = '/'): Promise<Visitor> {
    const context = await openContext(t, { reducedMotion: 'reduce', ...options })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const visitor = new Visitor(t, address, context, await context.newPage())
    await visitor.page.goto(address + path)
    return visitor
  }

  /** The same browser, in another tab. */
  async openTab(path = '/'): Promise<Visitor> {
    const tab = new Visitor(this.#t, this.#address, this.context, await this.context.newPage())
    await tab.page.goto(this.#address + path)
    return tab
  }

  get header(): Locator {
    return this.page.getByRole('banner')
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog')
  }

  get alert(): Locator {
    return this.page.getByRole('alert')
  }

  button = (name: string) => this.page.getByRole('button', { name, exact: true })

  note = (text: string) => this.page.getByRole('article').filter({ hasText: text })

  /** Waits until the table says how much it shows. */
  count = (text: string) => this.page.getByRole('status').getByText(text, { exact: true }).waitFor()

  /** The names in the table, from above. */
  names = () => this.page.locator('tbody th').allInnerTexts()

  async signUp({ name, email, password }: Account): Promise<void> {
    await this.header.getByRole('button', { name: 'Sign up' }).click()
    await this.dialog.getByLabel('Name').fill(name)
    await this.dialog.getByLabel('E-mail address').fill(email)
    await this.dialog.getByLabel('Password').fill(password)
    await this.dialog.getByRole('button', { name: 'Sign up' }).click()
  }

  async logIn({ email, password }: Account): Promise<void> {
    await this.header.getByRole('button', { name: 'Log in' }).click()
    await this.fillLogin(email, password)
  }

  async fillLogin(email: string, password: string): Promise<void> {
    await this.dialog.getByLabel('E-mail address').fill(email)
    await this.dialog.getByLabel('Password').fill(password)
    await this.dialog.getByRole('button', { name: 'Log in' }).click()
  }

  async logOut(): Promise<void> {
    await this.button('Log out').click()
    await this.button('Log out').waitFor({ state: 'detached' })
  }

  /** Waits until somebody is logged in. */
  isHere = (name: string) => this.header.getByText(name, { exact: true }).waitFor()

  /** Nothing is wrong with what is shown, in light and in dark. */
  async check(what: string): Promise<void> {
    await this.page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
    for (const colorScheme of ['light', 'dark'] as const) {
      await this.page.emulateMedia({ colorScheme })
      await checkAccessibility(this.#t, this.page, `${what}, ${colorScheme}`)
    }
  }
}
