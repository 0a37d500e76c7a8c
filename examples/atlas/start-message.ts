import { demo } from './demo-login.js'
import { licence } from './document.js'

/** Returns the text for the terminal after the start. The password of `demo` may have changed. */
export const startMessage = (address: string, hasDemo: boolean): string => `
The atlas:     ${address}
The explorer:  ${address}/explorer

${hasDemo ? `Log in as ${demo.email} with the password "${demo.password}".` : 'Sign up to write notes.'} Or ask from a shell:

  curl -g '${address}/countries?region=Africa&landlocked=true&$sort[area]=-1&$limit=5&$select[]=name'

More commands: examples/atlas/README.md
${licence}
`
