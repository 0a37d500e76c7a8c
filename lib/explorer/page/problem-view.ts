import { type Detail, toProblem } from '../model/problem.js'
import { button, element } from './element.js'
import type { Explorer } from './explorer.js'

/**
 * Shows an error, and what to do about it. What belongs to a field of the form is shown there too.
 * @param ways `isOfLogin` where a login has failed: then it is no way out; `again` sends what may go well another time
 */
export function problemView(
  explorer: Explorer,
  error: unknown,
  { isOfLogin = false, again }: { readonly isOfLogin?: boolean; readonly again?: () => void } = {}
): HTMLElement {
  const { title, message, details, advice, isLogin, isPassing } = toProblem(error, explorer.session.base)
  const isHelped = !isLogin || !isOfLogin
  const canLogIn = isLogin && isHelped && explorer.session.strategies.length > 0
  // A message of one detail says the same.
  const more = details.filter((detail) => !message.includes(detail.message))
  return element(
    'div',
    { className: 'problem', role: 'alert', key: 'problem' },
    element('strong', {}, title),
    element('p', {}, message),
    more.length > 0 &&
      element(
        'ul',
        {},
        more.map((detail) => element('li', {}, `${detail.path} ${detail.message}`.trim()))
      ),
    isHelped && advice !== undefined && element('p', { className: 'dim' }, advice),
    canLogIn && button('Log in', () => explorer.logIn()),
    isPassing && again !== undefined && button('Try again', again, { key: 'again' })
  )
}

/** Marks the fields of a form that details belong to, and goes to the first of them. */
export function markFields(details: readonly Detail[], inputs: ReadonlyMap<string, HTMLElement>): void {
  const marked: HTMLElement[] = []
  for (const [name, input] of inputs) {
    const detail = details.find((candidate) => candidate.field === name)
    const note = input.parentElement?.querySelector('.wrong') as HTMLElement
    note.textContent = detail === undefined ? '' : detail.message
    input.ariaInvalid = detail === undefined ? null : 'true'
    if (detail !== undefined) marked.push(input)
  }
  marked[0]?.focus()
}
