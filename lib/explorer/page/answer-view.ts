import { type Fold, foldsOf } from '../model/json-text.js'
import { isTokenName, toReadableBody } from '../model/result.js'
import { type Content, element } from './element.js'
import { colours } from './json-editor.js'

// More would only make the page slow.
const longestAnswer = 20_000

/**
 * A body of an answer: JSON in its colours, with objects and lists that fold; tokens are covered.
 */
export function answerView(text: string): Content {
  const { text: readable, isJSON } = toReadableBody(text)
  const shown = readable.length > longestAnswer ? `${readable.slice(0, longestAnswer)}…` : readable
  if (shown === '') return undefined
  const properties = { tabIndex: 0, ariaLabel: 'Body of the answer', role: 'region' }
  return element('pre', { ...properties, className: 'fold' }, isJSON ? foldsOf(shown).map(foldView) : shown)
}

function foldView({ line, inside }: Fold): HTMLElement {
  const content = colours(line, isTokenName)
  if (inside.length === 0) return element('div', {}, content)
  return element('details', { open: true }, element('summary', {}, content), inside.map(foldView))
}
