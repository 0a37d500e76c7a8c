import type { FindResult } from 'fastify-services/client'
import type { Country } from '../countries.js'
import { atlas, notes, type Services, whoIsHere } from './client.js'
import { button, element, fill } from './element.js'
import { openLogin } from './login.js'
import { type Editing, showNote } from './note.js'
import { noteForm } from './note-form.js'
import { problem, textOf } from './problem.js'

type Page = FindResult<Services['countries/:code/notes']>

let personChanged = () => {}
let stop = () => {}

/** Hears no more of the notes that were shown last. */
export function leaveNotes(): void {
  stop()
  personChanged = () => {}
}

for (const event of ['login', 'logout']) atlas.on(event, () => personChanged())

// The server gives no more at a time.
const max = 250

/** The notes of a country, the pinned and the newest first. */
export function createNotes({ cca3: code, name }: Country): HTMLElement {
  const route = { code }
  const list = element('div', { className: 'list' })
  const form = element('div')
  const title = element('h3', { tabIndex: -1 }, 'Notes')
  const section = element('section', { className: 'notes', ariaLabel: `Notes about ${name}` }, title, form, list)
  const editing: Editing = new Map()
  let limit = 5
  let draft = ''
  let page: Page | undefined

  function load(): void {
    stop()
    page = undefined
    section.ariaBusy = 'true'
    const query = { $sort: { pinned: -1, id: -1 }, $limit: limit } as const
    stop = notes.live({ route, query }).subscribe(({ state, result, error }) => {
      if (state === 'loading') return
      section.ariaBusy = null
      section.dataset.state = state
      if (state === 'error') fill(list, problem(textOf(error), 'Try again', load))
      else if (result && result !== page) show(result)
      page = state === 'error' ? undefined : result
    })
  }

  function show({ total, data }: Page): void {
    const goOn = keepFocus(list, title)
    title.textContent = total === 0 ? 'Notes' : `Notes (${total})`
    fill(
      list,
      ...data.map((note) => editing.get(note.id) ?? showNote(note, route, editing)),
      // What somebody is writing stays, even where the note is gone.
      ...[...editing].filter(([id]) => data.every((note) => note.id !== id)).map(([, form]) => form),
      total === 0 && element('p', { className: 'dim' }, `Nobody has written about ${name} yet.`),
      total > data.length && (limit < max ? button('Show more', more) : rest(data.length))
    )
    goOn()
  }

  const more = () => {
    limit = Math.min(max, limit + 20)
    load()
  }

  const rest = (count: number) =>
    element(
      'p',
      { className: 'dim' },
      `These are the first ${count}. The `,
      element('a', { href: `/explorer#/countries/:code/notes?%3Acode=${code}` }, 'explorer'),
      ' has all of them.'
    )

  // What somebody was writing stays while they log in again.
  function showForm(): void {
    draft = form.querySelector('textarea')?.value ?? draft
    const save = (data: { text: string; pinned: boolean }) => notes.create(data, { route })
    fill(form, whoIsHere() ? noteForm({ text: draft, pinned: false, label: 'Add note', save }) : invitation())
  }

  personChanged = () => {
    showForm()
    load()
  }
  personChanged()
  return section
}

/** Whoever is at a note goes on at it when the list has changed, or at the one that is in its place. */
function keepFocus(list: HTMLElement, title: HTMLElement): () => void {
  const focused = document.activeElement as HTMLElement | null
  if (!list.contains(focused)) return () => {}
  const all = () => [...list.querySelectorAll<HTMLElement>('[data-note]')]
  const focusedNote = focused?.closest<HTMLElement>('[data-note]')
  const place = focusedNote ? all().indexOf(focusedNote) : all().length
  return () => {
    const now = all()
    const same = now.find(({ dataset }) => dataset.note === focusedNote?.dataset.note)
    if (list.contains(focused)) focused?.focus()
    else (same ?? now[place] ?? now.at(-1) ?? title).focus()
  }
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
