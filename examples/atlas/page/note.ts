import type { Jsonify } from 'fastify-services/client'
import type { Note } from '../notes.js'
import { notes, whoIsHere } from './client.js'
import { button, element, fill } from './element.js'
import { refused } from './login.js'
import { noteForm } from './note-form.js'

const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

/** The forms of the notes that are being changed, by the ids of these. */
export type Editing = Map<number, HTMLElement>

/** A note. Whoever wrote it can change and delete it. */
export function showNote(note: Jsonify<Note>, route: { code: string }, editing: Editing): HTMLElement {
  const { id, text, pinned, changedAt, author, authorName } = note
  const isOwn = author !== null && author === whoIsHere()?.id
  const who = isOwn ? 'You' : (authorName ?? 'Somebody who has left')
  const actions = element('span', { className: 'actions' })
  const failure = element('div')
  const shown = element(
    'article',
    { className: pinned ? 'note pinned' : 'note', tabIndex: -1 },
    element('p', { dir: 'auto' }, text),
    failure,
    element(
      'footer',
      {},
      element('span', {}, element('bdi', {}, who), `, ${days.format(new Date(changedAt))}`, pinned && ' · pinned'),
      actions
    )
  )

  shown.dataset.note = String(id)

  function offer(): void {
    fill(actions, button('Edit', edit, 'plain'), button('Delete', ask, 'plain'))
  }

  function edit(): void {
    const save = async (data: { text: string; pinned: boolean }) => {
      await notes.patch(id, data, { route })
      editing.delete(id)
    }
    const cancel = () => {
      editing.delete(id)
      form.replaceWith(shown)
      actions.querySelector('button')?.focus()
    }
    const form = noteForm({ text, pinned: pinned === true, label: 'Save', save, cancel })
    form.dataset.note = String(id)
    editing.set(id, form)
    shown.replaceWith(form)
    form.querySelector('textarea')?.focus()
  }

  function ask(): void {
    const keep = button('Keep it', offer, 'plain')
    fill(actions, 'Delete it for good?', button('Delete', remove, 'plain wrong'), keep)
    keep.focus()
  }

  async function remove(): Promise<void> {
    try {
      await notes.remove(id, { route })
    } catch (error) {
      offer()
      fill(failure, refused(error))
    }
  }

  if (isOwn) offer()
  return shown
}
