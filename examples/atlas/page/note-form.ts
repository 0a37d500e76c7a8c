import { button, element, fill } from './element.js'
import { refused } from './login.js'

interface NoteFormOptions {
  readonly text: string
  readonly pinned: boolean
  /** What its button says. */
  readonly label: string
  readonly save: (data: { text: string; pinned: boolean }) => Promise<unknown>
  /** Leaves the note as it is. */
  readonly cancel?: () => void
}

/** The form of a note, a new one or one that changes. */
export function noteForm({ text, pinned, label, save, cancel }: NoteFormOptions): HTMLFormElement {
  const area = element('textarea', {
    value: text,
    required: true,
    maxLength: 2000,
    rows: 2,
    dir: 'auto',
    ariaLabel: 'Note'
  })
  area.placeholder = 'What do you know about it?'
  const pin = element('input', { type: 'checkbox', checked: pinned })
  const failure = element('div')
  const form = element(
    'form',
    { className: 'note-form' },
    area,
    failure,
    element(
      'div',
      { className: 'buttons' },
      element('button', { className: 'primary' }, label),
      cancel && button('Cancel', cancel),
      element('label', { className: 'check' }, pin, ' Pin it to the top')
    )
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    area.value = area.value.trim()
    // A note of spaces alone is none: the browser says so.
    if (!form.reportValidity()) return
    fill(failure)
    form.inert = true
    try {
      await save({ text: area.value, pinned: pin.checked })
      area.value = ''
      pin.checked = false
    } catch (error) {
      fill(failure, refused(error))
    } finally {
      form.inert = false
      area.focus()
    }
  })
  return form
}
