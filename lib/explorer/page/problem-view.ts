import { propertyOf } from '../model/json.js'
import { type Detail, toProblem } from '../model/problem.js'
import { button, element, fill } from './element.js'
import type { Explorer } from './explorer.js'
import type { FormPart, Mark } from './field-parts.js'

/**
 * Shows an error, and what to do about it. What belongs to a field of the form is shown there too.
 * @param ways `isOfLogin` where a login has failed: then it is no way out; `again` sends what may
 * go well another time
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

/**
 * Marks all fields of a form that details belong to, and goes to the first of them. What is wrong
 * within a field that is no form of its own is said at the field.
 */
function markFields(details: readonly Detail[], marks: ReadonlyMap<string, Mark>): void {
  const notes = new Map<string, string[]>()
  for (const { place, message } of details) {
    const keys = place.split('.')
    const lengths = keys.map((_, index) => keys.length - index)
    const length = lengths.find((count) => marks.has(keys.slice(0, count).join('.')))
    if (length === undefined) continue
    const [target, rest] = [keys.slice(0, length).join('.'), keys.slice(length).join('.')]
    notes.set(target, [...(notes.get(target) ?? []), `${rest} ${message}`.trim()])
  }
  // Of an object, a server may name the first field alone that is missing.
  if (details.length > 0)
    for (const [place, { input }] of marks)
      if (!notes.has(place) && isUnfilled(input)) notes.set(place, ['is required'])
  for (const [place, { input, note }] of marks) {
    note.textContent = notes.get(place)?.join(' · ') ?? ''
    input.ariaInvalid = notes.has(place) && input.tagName !== 'FIELDSET' ? 'true' : null
  }
  const first = [...marks].find(([place]) => notes.has(place))?.[1].input
  const target =
    first?.tagName === 'FIELDSET' ? first.querySelector<HTMLElement>('input, select, textarea, button') : first
  target?.focus()
  // It may have the focus already.
  target?.scrollIntoView({ block: 'nearest' })
}

/** Whether an error says that a record is not there. */
export const isMissing = (error: unknown): boolean => error instanceof Error && propertyOf(error, 'code') === 404

/** Shows in a form why it was not carried out, and marks the fields that the error is about. */
export function showProblem(
  explorer: Explorer,
  error: unknown,
  place: Element,
  form: FormPart | undefined,
  ways?: Parameters<typeof problemView>[2]
): void {
  fill(place, problemView(explorer, error, ways))
  place.scrollIntoView({ block: 'nearest' })
  if (form !== undefined) markFields(toProblem(error, explorer.session.base).details, form.marks())
}

/** Marks the fields of a form that can't be sent as they are. @returns whether there are any */
export function markProblems(form: FormPart): boolean {
  const { problems } = form.read()
  const details = [...problems].map(([place, message]) => ({ place, path: place, message }))
  markFields(details, form.marks())
  return details.length > 0
}

const isUnfilled = (input: HTMLElement) =>
  (input instanceof HTMLInputElement || input instanceof HTMLSelectElement || input instanceof HTMLTextAreaElement) &&
  input.required &&
  input.value === ''
