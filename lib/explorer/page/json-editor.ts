import { faultIn, tokensOf } from '../model/json-text.js'
import { type Content, element, fill, freshId } from './element.js'
import type { Mark } from './field-parts.js'

/** A text of JSON in its colours. What stands at a name that `isSecret` says so of is covered. */
export function colours(text: string, isSecret: (name: string) => boolean = () => false): Content {
  let name = ''
  return tokensOf(text).map((token) => {
    if (token.kind === 'key') name = token.text.slice(1, -1)
    if (token.kind === 'space' || token.kind === 'mark') return token.text
    const isCovered = token.kind === 'text' && isSecret(name)
    return element('span', { className: isCovered ? 'secret' : `json-${token.kind}` }, token.text)
  })
}

export interface JSONEditor extends Mark {
  readonly view: HTMLElement
  readonly input: HTMLTextAreaElement
}

// The colours of more would make typing slow.
const longestColoured = 50_000

/**
 * A place to write JSON: its colours stand behind the text, and what is wrong with it is said as it
 * is typed.
 */
export function jsonEditor(text: string, isFree: boolean): JSONEditor {
  const note = element('p', { className: 'wrong', id: freshId() })
  const about = element(
    'p',
    { className: 'dim about', id: freshId() },
    'The document does not say what this method takes: write it as JSON, or leave it empty to send nothing.'
  )
  const behind = element('pre', { ariaHidden: 'true' })
  const input = element('textarea', { id: freshId(), spellcheck: false, value: text, key: 'json' })
  input.setAttribute('aria-describedby', isFree ? `${note.id} ${about.id}` : note.id)
  const paint = () => {
    const { value } = input
    // A line that ends the text has no height without something in it.
    fill(behind, value.length > longestColoured ? value : colours(value), '\n')
    input.rows = Math.max(isFree ? 4 : 10, value.split('\n').length)
  }
  input.addEventListener('input', () => {
    const fault = input.value.trim() === '' ? undefined : faultIn(input.value)
    input.ariaInvalid = null
    note.textContent = fault === undefined ? '' : `Line ${fault.line}, column ${fault.column}: ${fault.message}`
    paint()
  })
  paint()
  const view = element(
    'div',
    { className: 'field' },
    element('label', { htmlFor: input.id }, 'JSON'),
    element('div', { className: 'editor' }, behind, input),
    note,
    isFree && about
  )
  return { view, input, note }
}
