import { useState } from 'react'
import { server } from './server.js'
import { useForm } from './use-form.js'

/** Logs in, or signs up first: with an organisation of one's own. */
export function Login() {
  const [isNew, setNew] = useState(false)
  const { onSubmit, busy, message } = useForm(async ({ email = '', password = '', name = '', organisation = '' }) => {
    if (isNew) await server.service('sign-ups').create({ organisation, name, email, password })
    await server.authenticate({ strategy: 'local', email, password })
  })
  return (
    <main className="narrow">
      <h1>Issues</h1>
      <form onSubmit={onSubmit}>
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
        <button type="submit" disabled={busy}>
          {isNew ? 'Sign up' : 'Log in'}
        </button>
        <p role="alert">{message}</p>
      </form>
      <button type="button" className="link" onClick={() => setNew(!isNew)}>
        {isNew ? 'I have an account' : 'I am new here'}
      </button>
    </main>
  )
}
