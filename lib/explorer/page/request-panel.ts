import { type Call, missingIn } from '../model/call.js'
import { formsOf, headerForms, type RequestTexts, toTexts } from '../model/texts.js'
import { toDuration, toSize } from '../model/units.js'
import { answerView } from './answer-view.js'
import { button, byId, type Content, element, fill } from './element.js'
import type { Exchange, PageSession } from './session.js'

const librariesShown = { curl: 'curl', fetch: 'fetch', typescript: 'TypeScript' } satisfies Record<
  keyof RequestTexts,
  string
>
type Name = keyof RequestTexts

/** Shows the request as it is typed, and the answer to the last one. */
export class RequestPanel {
  readonly #session: PageSession
  readonly #code = element('code')
  readonly #answer = element('div', { className: 'answer' })
  readonly #status = element('span', { role: 'status', className: 'said' })
  /** Of the last answer: `200 OK · 12 ms · 1.2 kB`. */
  status = ''
  readonly #tabs: readonly HTMLButtonElement[]
  #texts: RequestTexts | undefined
  #secrets: readonly string[] = []
  #name: Name = 'curl'
  #token = ''
  #again = () => {}
  #count = 0

  constructor(session: PageSession) {
    this.#session = session
    this.#tabs = Object.entries(librariesShown).map(([name, label]) =>
      element(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: `tab-${name}`,
          onclick: () => this.#choose(name as Name),
          onkeydown: (event) => this.#move(event)
        },
        label
      )
    )
    for (const tab of this.#tabs) tab.setAttribute('aria-controls', 'code')
    const pre = element('pre', { id: 'code', role: 'tabpanel', tabIndex: 0 }, this.#code)
    fill(
      byId('request'),
      element('h2', {}, 'Request'),
      element(
        'div',
        { className: 'tabs' },
        element('div', { role: 'tablist', ariaLabel: 'Form of the request' }, this.#tabs),
        this.#status,
        button('Copy', () => this.#copyRequest(), { className: 'small', id: 'copy' })
      ),
      pre,
      this.#answer
    )
    this.#choose('curl')
    const toggle = byId('panel') as HTMLButtonElement
    const fold = (isFolded: boolean) => {
      byId('request').hidden = isFolded
      toggle.ariaExpanded = String(!isFolded)
    }
    toggle.onclick = () => {
      const isFolded = !byId('request').hidden
      fold(isFolded)
      session.remember('panel', isFolded ? ['folded'] : [])
    }
    fold(session.remembered('panel').includes('folded'))
  }

  /** Shows the request of a call; `reason`, or why there is none, where there is none yet. */
  async show(call: Call, secrets: readonly string[] = [], reason?: string): Promise<void> {
    const count = ++this.#count
    this.#again = () => void this.show(call, secrets, reason)
    this.#token = this.#session.token
    const missing = missingIn(call)
    const request =
      missing.length > 0
        ? `Fill in ${missing.join(' and ')} to see the request.`
        : (reason ?? (await this.#session.request(call).catch((error) => String(error.message))))
    if (count !== this.#count) return
    const isThere = typeof request !== 'string'
    this.#texts = isThere ? toTexts(call, request, this.#session.base, this.#session.headersOf(call)) : undefined
    const inHeaders = [this.#session.token, ...Object.values(this.#session.keys())]
    this.#secrets = [...inHeaders.flatMap(headerForms), ...secrets.flatMap(formsOf)].filter((text) => text.length > 2)
    if (isThere) this.#render()
    else fill(this.#code, element('span', { className: 'dim' }, request))
  }

  /** Shows that there is no request here. */
  clear(): void {
    this.#count++
    this.#again = () => {}
    this.#texts = undefined
    fill(this.#code, element('span', { className: 'dim' }, 'There is no request here.'))
    this.clearAnswer()
  }

  clearAnswer(): void {
    this.#answer.ariaBusy = null
    fill(this.#answer)
  }

  /** Marks the shown answer as outdated. */
  wait(): void {
    this.#answer.ariaBusy = 'true'
  }

  /** Shows why a request got no answer. */
  showNoAnswer(reason: string): void {
    this.status = reason
    this.#fillAnswer('bad')
  }

  #fillAnswer(className: string, text = '', ...content: Content[]): void {
    this.#answer.ariaBusy = null
    const copyAnswer = () => this.#copy(text, this.#answer)
    fill(
      this.#answer,
      element('h2', {}, 'Answer'),
      element(
        'div',
        { className: 'status' },
        element('p', { className, id: 'status' }, this.status),
        text !== '' && button('Copy', copyAnswer, { className: 'small', ariaLabel: 'Copy the answer' })
      ),
      ...content
    )
  }

  #choose(name: Name): void {
    this.#name = name
    for (const tab of this.#tabs) {
      const isChosen = tab.id === `tab-${name}`
      tab.ariaSelected = String(isChosen)
      tab.tabIndex = isChosen ? 0 : -1
    }
    byId('code').setAttribute('aria-labelledby', `tab-${name}`)
    this.#render()
  }

  #move(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const keys = Object.keys(librariesShown) as Name[]
    this.#choose(keys.at((keys.indexOf(this.#name) + step) % keys.length) as Name)
    byId(`tab-${this.#name}`).focus()
  }

  #render(): void {
    if (this.#texts !== undefined) fill(this.#code, veil(this.#texts[this.#name], this.#secrets))
  }

  #copyRequest(): Promise<void> {
    return this.#texts === undefined ? Promise.resolve() : this.#copy(this.#texts[this.#name], this.#code)
  }

  async #copy(text: string, shown: HTMLElement): Promise<void> {
    const isCopied = await copy(text, shown)
    this.#status.textContent = isCopied ? 'Copied' : 'Press Ctrl+C'
    setTimeout(() => {
      this.#status.textContent = ''
    }, 2000)
  }

  /** Shows what came of a request. */
  showAnswer({ status, statusText, milliseconds, text }: Exchange): void {
    // On its way to the answer the token may have been renewed.
    if (this.#session.token !== this.#token) this.#again()
    const isGood = status < 400
    this.status = [`${status} ${statusText}`.trim(), toDuration(milliseconds), toSize(new Blob([text]).size)].join(
      ' · '
    )
    this.#fillAnswer(isGood ? 'good' : 'bad', text, answerView(text))
  }
}

/** A text with its secrets in elements of their own: they can't be read, and are copied whole. */
function veil(text: string, secrets: readonly string[]): Content[] {
  const [secret, ...others] = secrets
  if (secret === undefined) return [text]
  const parts = text.split(secret).map((part) => veil(part, others))
  return parts.flatMap((part, index) =>
    index === 0 ? part : [element('span', { className: 'secret' }, secret), ...part]
  )
}

async function copy(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    // Only pages over https, and those of this computer, have it.
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    getSelection()?.selectAllChildren(shown)
    return document.execCommand('copy')
  }
}
