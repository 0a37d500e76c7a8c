import { toData } from '../model/data.js'
import { toProblem } from '../model/problem.js'
import { button, byId, type Content, element, fill, freshId, labelled, select } from './element.js'
import type { Explorer } from './explorer.js'
import { type FieldView, fieldView } from './field-view.js'
import { createForm } from './head-view.js'
import { markFields, problemView } from './problem-view.js'

/** Who is logged in, with the way in or out. */
export function loginState(explorer: Explorer): void {
  const { session } = explorer
  const canLogIn = session.strategies.length > 0 || session.keyHeaders.length > 0
  const out = async () => {
    try {
      await session.logOut()
    } catch (error) {
      const dialog = byId('dialog') as HTMLDialogElement
      const problem = problemView(explorer, error, { isOfLogin: true })
      fill(
        dialog,
        element('h2', { id: 'dialog-title' }, 'Not logged out'),
        problem,
        button('Close', () => dialog.close())
      )
      dialog.showModal()
    }
    loginState(explorer)
    explorer.update()
  }
  fill(
    byId('login'),
    session.user !== undefined && [
      element('span', { className: 'user' }, session.user),
      button('Log out', out, { key: 'out' })
    ],
    session.user === undefined && canLogIn && button('Log in', () => explorer.logIn(), { key: 'in' }),
    // Another library sets it, at a page of the application.
    session.strategies.length === 0 &&
      session.cookies.length > 0 &&
      element('span', { className: 'dim' }, `By the cookie ${session.cookies.join(', ')}`)
  )
}

/** Asks for what a login takes, in a dialog. */
export function logIn(explorer: Explorer): void {
  const { session } = explorer
  const dialog = byId('dialog') as HTMLDialogElement
  const problem = element('div')
  const fields = element('div', { className: 'fields' })
  let inputs: readonly FieldView[] = []
  let [strategy] = session.strategies

  const renderFields = () => {
    inputs = (strategy?.fields ?? []).map((field) =>
      fieldView(field, { value: undefined, shown: undefined }, { isChange: false })
    )
    fill(
      fields,
      inputs.map(({ view }) => view)
    )
    fields.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }
  const keys = session.keyHeaders.map((name) => {
    const input = element('input', {
      id: freshId(),
      type: 'password',
      autocomplete: 'off',
      value: session.keys()[name] ?? ''
    })
    input.onchange = () => session.setKey(name, input.value)
    return labelled(name, input)
  })

  async function send(): Promise<void> {
    const { data } = toData(inputs.map((input) => input.read()))
    try {
      if (strategy !== undefined && (keys.length === 0 || Object.keys(data as object).length > 0))
        await session.logIn(strategy, data as object)
    } catch (error) {
      fill(problem, problemView(explorer, error, { isOfLogin: true }))
      markFields(
        toProblem(error, session.base).details,
        new Map(inputs.flatMap((view) => view.marks(view.read().field.name)))
      )
      return
    }
    dialog.close()
    loginState(explorer)
    explorer.update()
  }

  fill(
    dialog,
    element('h2', { id: 'dialog-title' }, 'Log in'),
    createForm(
      'call',
      send,
      strategies(),
      fields,
      keys,
      problem,
      element(
        'div',
        { className: 'buttons' },
        element('button', { className: 'primary' }, 'Log in'),
        button('Cancel', () => dialog.close())
      ),
      element(
        'p',
        { className: 'dim' },
        session.cookies.length > 0 ? 'A cookie keeps the login.' : 'The token is kept until this tab is closed.'
      )
    )
  )

  function strategies(): Content {
    if (session.strategies.length < 2) return undefined
    const choice = select(
      session.strategies.map(({ path, name }, index) => [String(index), `${name} (/${path})`]),
      '0',
      { id: freshId() }
    )
    choice.onchange = () => {
      strategy = session.strategies[Number(choice.value)]
      renderFields()
    }
    return labelled('Strategy', choice)
  }

  dialog.showModal()
  renderFields()
}
