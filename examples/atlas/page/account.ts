import { atlas, whoIsHere } from './client.js'
import { button, byId, element, fill } from './element.js'
import { openLogin } from './login.js'
import { problem, textOf } from './problem.js'

/** Goes on with the login of the last visit, where there was one and it has not ended. */
export async function goOn(): Promise<void> {
  showAccount()
  await atlas.reAuthenticate().catch(() => {})
}

/** Shows who is logged in, or how to. */
export function showAccount(): void {
  const person = whoIsHere()
  fill(byId('notice'))
  if (person === undefined) {
    fill(
      byId('account'),
      button('Log in', () => openLogin('log in')),
      button('Sign up', () => openLogin('sign up'), 'primary')
    )
    return
  }
  fill(byId('account'), element('span', { className: 'person' }, person.name), button('Log out', logOut))
}

async function logOut(): Promise<void> {
  try {
    await atlas.logout()
  } catch (error) {
    fill(byId('notice'), problem(textOf(error)))
  }
}
