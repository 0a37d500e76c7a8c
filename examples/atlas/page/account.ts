import { NotAuthenticated } from 'fastify-services/client'
import { atlas, onOtherTab, whoIsHere } from './client.js'
import { button, byId, element, fill } from './element.js'
import { openLogin } from './login.js'
import { problem, textOf } from './problem.js'

/** Goes on with the login of the last visit, or of another tab, where there is one and it has not ended. */
export async function goOn(): Promise<void> {
  try {
    await atlas.reAuthenticate(true)
  } catch (error) {
    if (whoIsHere() === undefined) showAccount()
    else atlas.emit('logout', null)
    // The login may be good still: the server has not said.
    if (!(error instanceof NotAuthenticated))
      fill(byId('notice'), problem(`You are not logged in again yet. ${textOf(error)}`, 'Try again', goOn))
  }
}

// Calls are made as whoever has logged in last, in whichever tab: that is who is shown.
onOtherTab(goOn)

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
  fill(
    byId('account'),
    element('span', { className: 'person', dir: 'auto', title: person.name }, person.name),
    button('Log out', logOut)
  )
}

async function logOut(): Promise<void> {
  try {
    await atlas.logout()
  } catch (error) {
    fill(byId('notice'), problem(textOf(error)))
  }
}
