import { useEffect, useState } from 'react'
import { Login } from './login.jsx'
import { Projects } from './projects.jsx'
import { server } from './server.js'

/** The log-in, and the projects for who is logged in. */
export function App() {
  const [name, setName] = useState<string>()
  const [isReady, setReady] = useState(false)

  useEffect(() => {
    const onLogin = ({ user }: { user?: { name: string } }) => setName(user?.name ?? '')
    const onLogout = () => setName(undefined)
    server.on('login', onLogin).on('logout', onLogout)
    // Who was here before is still logged in.
    server
      .reAuthenticate()
      .then(onLogin, onLogout)
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
        <span>{name}</span>
        <button type="button" onClick={() => server.logout()}>
          Log out
        </button>
      </header>
      <Projects />
    </>
  )
}
