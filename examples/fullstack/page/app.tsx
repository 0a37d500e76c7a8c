import { useEffect, useState } from 'react'
import { Login } from './login.jsx'
import { Projects } from './projects.jsx'
import { server } from './server.js'

/** The login form, or the projects of the user. */
export function App() {
  const [name, setName] = useState<string>()
  // No script can see the cookie. This mark saves strangers a request that the server refuses.
  const [isReady, setReady] = useState(!localStorage.hasLogin)

  useEffect(() => {
    const onLogin = ({ user }: { user?: { name: string } }) => {
      localStorage.setItem('hasLogin', 'true')
      setName(user?.name ?? '')
    }
    const onLogout = () => {
      localStorage.removeItem('hasLogin')
      setName(undefined)
    }
    server.on('login', onLogin).on('logout', onLogout)
    if (localStorage.hasLogin)
      server
        .reAuthenticate()
        .then(onLogin, ({ code }) => code === 401 && onLogout())
        .finally(() => setReady(true))
    return () => {
      server.off('login', onLogin).off('logout', onLogout)
    }
  }, [])

  if (!isReady) return null
  if (name === undefined) return <Login />
  return (
    <>
      <header>
        <h1>Issues</h1>
        {import.meta.env.MODE === 'development' && <a href="/explorer">Explorer</a>}
        <span className="person" data-letter={name.slice(0, 1).toUpperCase()}>
          {name}
        </span>
        <button type="button" onClick={() => server.logout()}>
          Log out
        </button>
      </header>
      <Projects />
    </>
  )
}
