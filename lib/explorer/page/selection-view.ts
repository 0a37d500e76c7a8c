import type { Operation } from '../model/services.js'
import { bodyView } from './body-view.js'
import { button, byId, element, fill } from './element.js'
import type { View } from './explorer.js'
import { createForm } from './head-view.js'
import { markProblems, showProblem } from './problem-view.js'

/** The method of a service that takes many records by their ids, where there is one. */
export function forMany({ service }: View, name: string): Operation | undefined {
  const operation = service.many.get(name)
  const ids = operation?.query.find((field) => field.name === service.idField)
  return operation?.query.length === 0 || ids?.operators.includes('$in') ? operation : undefined
}

/** Buttons for the selected records. */
export function selectionView(view: View, ids: readonly string[]): HTMLElement {
  const [patch, remove] = ['patch', 'remove'].map((name) => forMany(view, name))
  return element(
    'div',
    { className: 'selected' },
    element('span', { role: 'status' }, `${ids.length} selected`),
    patch && button(`Edit ${ids.length}`, () => askFor(view, patch, ids), { className: 'small' }),
    remove && button(`Remove ${ids.length}`, () => askFor(view, remove, ids), { className: 'small danger' })
  )
}

/** Asks in a dialog for what all selected records get, or whether they may go. */
function askFor(view: View, operation: Operation, ids: readonly string[]): void {
  const { explorer, service, place } = view
  const dialog = byId('dialog') as HTMLDialogElement
  const isRemoval = operation.name === 'remove'
  const problem = element('div')
  const body = isRemoval ? undefined : bodyView({ ...view, operation }, {}, () => {})
  const records = `${ids.length} ${ids.length === 1 ? 'record' : 'records'} of /${service.path}`

  async function send(): Promise<void> {
    if (body !== undefined && markProblems(body)) return
    const query = Object.fromEntries([[service.idField, { $in: ids }]])
    try {
      await explorer.session.send({
        service,
        operation,
        id: undefined,
        route: Object.fromEntries(place.route),
        query,
        data: body?.read().data
      })
    } catch (error) {
      return showProblem(explorer, error, problem, body)
    }
    dialog.close()
    explorer.notice = `${records}: ${isRemoval ? 'removed' : 'saved'}.`
    explorer.render()
  }

  fill(
    dialog,
    element('h2', { id: 'dialog-title' }, `${isRemoval ? 'Remove' : 'Edit'} ${records}`),
    createForm(
      'call',
      send,
      isRemoval
        ? element('p', {}, `This removes the records ${ids.join(', ')}.`)
        : element('p', { className: 'dim' }, 'What you leave empty stays as it is.'),
      body?.view,
      problem,
      element(
        'div',
        { className: 'buttons' },
        element('button', { className: isRemoval ? 'danger' : 'primary' }, isRemoval ? 'Remove' : 'Save'),
        button('Cancel', () => dialog.close())
      )
    )
  )
  dialog.showModal()
}
