import { Conflict, NotAuthenticated } from 'fastify-services/client'
import { demoLogin } from '../demo-login.js'
import { atlas } from './client.js'
import { button, byId, element, field, fill } from './element.js'
import { problem, textOf } from './problem.js'

type Purpose = 'log in' | 'sign up'

const dialog = byId<HTMLDialogElement>('login')

/** Asks who somebody is. */
export function openLogin(purpose: Purpose, { email = '', reason = '' } = {}): void {
  const isNew = purpose === 'sign up'
  const title = isNew ? 'Sign up' : 'Log in'
  const input = (name: string, properties: Partial<HTMLInputElement>) =>
    element('input', { name, required: true, ...properties })
  const name = input('name', { autocomplete: 'name', maxLength: 100 })
  const address = input('email', { type: 'email', autocomplete: 'username', maxLength: 254, value: email })
  const password = input('password', {
    type: 'password',
    autocomplete: isNew ? 'new-password' : 'current-password',
    ...(isNew && { minLength: 8 }),
    maxLength: 1024
  })
  const failure = element('div', {}, reason !== '' && problem(reason))
  const form = element(
    'form',
    {},
    failure,
    isNew && field('Name', name, 'It stands beside your notes.'),
    field('E-mail address', address),
    field('Password', password, isNew ? 'At least 8 characters. It is for this atlas alone.' : undefined),
    element(
      'div',
      { className: 'buttons' },
      element('button', { className: 'primary' }, title),
      button('Cancel', () => dialog.close())
    )
  )
  const others = element(
    'p',
    { className: 'dim others' },
    isNew ? 'You have an account? ' : 'You have none? ',
    button(
      isNew ? 'Log in' : 'Sign up',
      () => openLogin(isNew ? 'log in' : 'sign up', { email: address.value }),
      'plain'
    ),
    !isNew && ', or ',
    !isNew && button('look around as the demo user', () => attempt(() => atlas.authenticate(demoLogin)), 'plain')
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    name.value = name.value.trim()
    if (!form.reportValidity()) return
    void attempt(async () => {
      const login = { email: address.value, password: password.value }
      if (isNew) await atlas.service('users').create({ ...login, name: name.value })
      await atlas.authenticate({ strategy: 'local', ...login })
    })
  })

  async function attempt(act: () => Promise<unknown>): Promise<void> {
    fill(failure)
    form.inert = true
    try {
      await act()
      dialog.close()
    } catch (error) {
      fill(failure, explain(error, address.value))
    } finally {
      form.inert = false
    }
  }

  fill(dialog, element('h2', { id: 'login-title' }, title), form, others)
  if (!dialog.open) dialog.showModal()
  const first = isNew ? name : address
  ;(email === '' || isNew ? first : password).focus()
}

/** Shows why a call was refused. Whoever is no longer logged in is asked to log in again. */
export function refused(error: unknown): HTMLElement {
  if (error instanceof NotAuthenticated) {
    // The server knows nobody by this token: it forgets it here too.
    void atlas.logout().catch(() => {})
    openLogin('log in', { reason: 'Your login has ended. Log in again to go on.' })
  }
  return problem(textOf(error))
}

function explain(error: unknown, email: string): HTMLElement {
  if (error instanceof Conflict)
    return problem(`${error.message} already. Is it you?`, 'Log in', () => openLogin('log in', { email }))
  if (error instanceof NotAuthenticated)
    return problem('Nobody has this e-mail address with this password. Check both, or sign up.')
  return problem(textOf(error))
}
