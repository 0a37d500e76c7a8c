import { feathers } from '@feathersjs/feathers'
import feathersRest from '@feathersjs/rest-client'
import { createClient, rest } from 'fastify-services/client'
import { startSubject } from '../child.js'

/** Calls over HTTP by `fetch`, by our client or by that of Feathers, of a server in a process of its own. */
export async function start(kind: string | undefined, token: string): Promise<() => Promise<unknown>> {
  const { port } = await startSubject('http', [process.execPath], token)
  const base = `http://127.0.0.1:${port}`
  if (kind === 'ours') {
    const app = createClient()
    app.configure(rest(base).fetch(fetch))
    return () => app.service('messages').get('500')
  }
  if (kind === 'feathers') {
    const app = feathers().configure(feathersRest.default(base).fetch(fetch))
    return () => app.service('messages').get('500')
  }
  return async () => (await fetch(`${base}/messages/500`, { headers: { accept: 'application/json' } })).json()
}
