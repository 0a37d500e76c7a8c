import { demoLogin } from './demo-login.js'
import { licence } from './document.js'

/** Says where the atlas is, with commands to paste. */
export function startMessage(address: string, hasDemo: boolean): string {
  const notes = `'${address}/countries/CHE/notes'`
  return `
The atlas is at ${address}: open it in a browser. All that it can do is at ${address}/explorer. Or try:

  curl -g '${address}/countries?region=Africa&landlocked=true&$sort[area]=-1&$limit=5&$select[]=name&$select[]=area'
  curl -g '${address}/countries/CHE'
  curl -g ${notes}

${hasDemo ? asDemo(address, notes) : signUp(address)}
${licence}
`
}

const json = (data: object) => `-H 'Content-Type: application/json' -d '${JSON.stringify(data)}'`

function asDemo(address: string, notes: string): string {
  const login = `'${address}/authentication' ${json(demoLogin)}`
  return `Log in as the demo user, keep the token of the answer, and write a note with it:

  curl ${login}
  TOKEN=$(curl -s ${login} | node -p 'JSON.parse(fs.readFileSync(0)).accessToken')
  curl ${notes} -H "Authorization: Bearer $TOKEN" ${json({ text: 'Four languages' })}
`
}

// Who has the record of the demo user may have changed the password.
function signUp(address: string): string {
  return `Sign up, with an address and a password of yours, to log in and to write notes:

  curl '${address}/users' ${json({ email: 'you@example.com', name: 'You', password: 'at least 8 characters' })}
`
}
