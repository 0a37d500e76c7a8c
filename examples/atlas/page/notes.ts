import type { Country } from '../countries.js'
import { atlas, notes, whoIsHere } from './client.js'
import { button, element, fill } from './element.js'
import { openLogin } from './login.js'
import { showNote } from './note.js'
import { noteForm } from './note-form.js'
import { problem, textOf } from './problem.js'

let changed = () => {}
let personChanged = () => {}

// The client emits the first three for its own calls.
for (const event of ['created', 'patched', 'removed']) notes.on(event, () => changed())
for (const event of ['login', 'logout']) atlas.on(event, () => personChanged())

/** The notes of a country, the pinned and the newest first. */
export function createNotes({ cca3: code, name }: Country): HTMLElement {
  const route = { code }
  const list = element('div', { className: 'list' })
  const form = element('div')
  const title = element('h3', { tabIndex: -1 }, 'Notes')
  const section = element('section', { className: 'notes', ariaLabel: `Notes about ${name}` }, title, form, list)
  let limit = 5
  let count = 0
  let draft = ''

  async function load(): Promise<void> {
    const own = ++count
    section.ariaBusy = 'true'
    try {
      const { total, data } = await notes.find({ route, query: { $sort: { pinned: -1, id: -1 }, $limit: limit } })
      if (own !== count) return
      const hadFocus = list.contains(document.activeElement)
      title.textContent = total === 0 ? 'Notes' : `Notes (${total})`
      fill(
        list,
        ...data.map((note) => showNote(note, route)),
        total === 0 && element('p', { className: 'dim' }, `Nobody has written about ${name} yet.`),
        total > data.length && button('Show more', more)
      )
      if (hadFocus) title.focus()
    } catch (error) {
      if (own === count) fill(list, problem(textOf(error), 'Try again', load))
    }
    if (own === count) section.ariaBusy = null
  }

  const more = () => {
    limit = Math.min(250, limit + 20)
    return load()
  }

  // What somebody was writing stays while they log in again.
  function showForm(): void {
    draft = form.querySelector('textarea')?.value ?? draft
    const save = (data: { text: string; pinned: boolean }) => notes.create(data, { route })
    fill(form, whoIsHere() ? noteForm({ text: draft, pinned: false, label: 'Add note', save }) : invitation())
  }

  changed = load
  personChanged = () => {
    showForm()
    void load()
  }
  personChanged()
  return section
}

const invitation = () =>
  element(
    'p',
    { className: 'dim' },
    button('Log in', () => openLogin('log in'), 'plain'),
    ' or ',
    button('sign up', () => openLogin('sign up'), 'plain'),
    ' to write a note.'
  )
