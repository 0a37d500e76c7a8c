import { button, byId, type Content, element, fill, freshId, labelled, select } from './element.js'
import type { Explorer, View } from './explorer.js'
import { type FieldView, nothing, toFormPart } from './field-parts.js'
import { fieldView } from './field-view.js'
import { createForm, headView } from './head-view.js'
import { markProblems, problemView, showProblem } from './problem-view.js'

/** Who is logged in, with the way in or out. */
export function loginState(explorer: Explorer): void {
  const { session } = explorer
  const canLogIn = session.strategies.length > 0 || session.keyHeaders.length > 0
  fill(
    byId('login'),
    session.user !== undefined && [
      element('span', { className: 'user' }, session.user),
      button('Log out', () => logOut(explorer), { key: 'out' })
    ],
    session.user === undefined && canLogIn && button('Log in', () => explorer.logIn(), { key: 'in' }),
    // Another library sets it, at a page of the application.
    session.strategies.length === 0 &&
      session.cookies.length > 0 &&
      element('span', { className: 'dim' }, `By the cookie ${session.cookies.join(', ')}`)
  )
}

async function logOut(explorer: Explorer): Promise<void> {
  try {
    await explorer.session.logOut()
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

/** Shown instead of records that need a login. */
export function loginNotice({ explorer, service }: View): HTMLElement {
  const ask = () => {
    explorer.openings.add(service.path)
    explorer.render()
  }
  return element(
    'div',
    { className: 'empty' },
    element('p', {}, `Log in to see /${service.path}.`),
    element(
      'div',
      { className: 'buttons' },
      button('Log in', () => explorer.logIn(), { className: 'primary' }),
      button('Try without login', ask)
    )
  )
}

/** The page of an authentication service: who is logged in, or the way in. */
export function loginPage(view: View): void {
  const { explorer, service } = view
  const { session } = explorer
  explorer.panel.clear()
  const form = loginForm(explorer, () => explorer.update())
  fill(
    byId('main'),
    headView(view, `/${service.path}`),
    session.user === undefined
      ? form.view
      : element(
          'div',
          { className: 'empty' },
          element('p', {}, `You are logged in: ${session.user}.`),
          button('Log out', () => logOut(explorer))
        )
  )
  if (session.user === undefined) form.render()
}

/** Asks for what a login takes, in a dialog. */
export function logIn(explorer: Explorer): void {
  const dialog = byId('dialog') as HTMLDialogElement
  const form = loginForm(
    explorer,
    () => {
      dialog.close()
      explorer.update()
    },
    button('Cancel', () => dialog.close())
  )
  fill(dialog, element('h2', { id: 'dialog-title' }, 'Log in'), form.view)
  dialog.showModal()
  form.render()
}

function loginForm(explorer: Explorer, done: () => void, ...buttons: Content[]) {
  const { session } = explorer
  const problem = element('div')
  const fields = element('div', { className: 'fields' })
  let inputs: readonly FieldView[] = []
  let [strategy] = session.strategies

  const renderFields = () => {
    inputs = (strategy?.fields ?? []).map((field) => fieldView(field, nothing, { isChange: false }))
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
    const form = toFormPart(inputs)
    if (markProblems(form)) return
    const { data } = form.read()
    try {
      if (strategy !== undefined && (keys.length === 0 || Object.keys(data as object).length > 0))
        await session.logIn(strategy, data as object)
    } catch (error) {
      return showProblem(explorer, error, problem, form, { isOfLogin: true })
    }
    loginState(explorer)
    done()
  }

  const view = createForm(
    'call',
    send,
    strategies(),
    fields,
    keys,
    problem,
    element('div', { className: 'buttons' }, element('button', { className: 'primary' }, 'Log in'), buttons),
    element(
      'p',
      { className: 'dim' },
      session.cookies.length > 0 ? 'A cookie keeps the login.' : 'The token is kept until this tab is closed.'
    )
  )

  function strategies(): Content {
    if (session.strategies.length < 2) return undefined
    const choice = select(
      session.strategies.map(({ path, name }, index) => [
        String(index),
        `${name === 'local' ? 'Password' : name} (/${path})`
      ]),
      '0',
      { id: freshId() }
    )
    choice.onchange = () => {
      strategy = session.strategies[Number(choice.value)]
      renderFields()
    }
    return labelled('Log in by', choice)
  }

  return { view, render: renderFields }
}
