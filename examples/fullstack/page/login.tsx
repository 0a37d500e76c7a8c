import { useState } from 'react'
import { server } from './server.js'
import { useForm } from './use-form.js'

/** Logs in, or creates an account first, with an organisation of its own. */
export function Login() {
  const [isNew, setNew] = useState(false)
  const { onSubmit, clear, busy, message } = useForm(async (fields) => {
    const { email = '', password = '', name = '', organisation = '' } = fields
    if (isNew) await server.service('sign-ups').create({ organisation, name, email, password })
    await server.authenticate({ strategy: 'local', email, password })
  })
  return (
    <main className="narrow card">
      <h1>Issues</h1>
      <form onSubmit={onSubmit} onInput={clear}>
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
        <p role="alert">{message}</p>
        <button type="submit" className="primary" disabled={busy}>
          {isNew ? 'Create account' : 'Log in'}
        </button>
      </form>
      <button
        type="button"
        className="link"
        onClick={() => {
          setNew(!isNew)
          clear()
        }}
      >
        {isNew ? 'I have an account' : 'Create an account'}
      </button>
    </main>
  )
}
