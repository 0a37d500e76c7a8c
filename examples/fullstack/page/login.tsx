import { useState } from 'react'
import { server } from './server.js'
import { useForm } from './use-form.js'

/** Logs in, or creates an account first, with an organisation of its own. */
export function Login() {
  const [isNew, setNew] = useState(false)
  const form = useForm(async ({ email = '', password = '', name = '', organisation = '' }) => {
    if (isNew) await server.service('sign-ups').create({ organisation, name, email, password })
    await server.authenticate({ strategy: 'local', email, password })
  })
  const toggle = () => {
    setNew(!isNew)
    form.clear()
  }
  return (
    <main className="narrow card">
      <h1>Issues</h1>
      <form onSubmit={form.onSubmit} onInput={form.clear}>
        {isNew && (
          <>
            <label>
              Organisation <input name="organisation" required maxLength={100} autoComplete="organization" />
            </label>
            <label>
              Name <input name="name" required maxLength={100} autoComplete="name" />
            </label>
          </>
        )}
        <label>
          E-mail <input name="email" type="email" required maxLength={254} autoComplete="username" />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            required
            minLength={8}
            autoComplete={isNew ? 'new-password' : 'current-password'}
          />
        </label>
        <p role="alert">{form.message}</p>
        <button type="submit" className="primary" disabled={form.busy}>
          {isNew ? 'Create account' : 'Log in'}
        </button>
      </form>
      <button type="button" onClick={toggle}>
        {isNew ? 'I have an account' : 'Create an account'}
      </button>
    </main>
  )
}
