import { requireThere } from './mounted-sides.js'

/** A client application, made by the `createClient` that the CLI has generated. */
export interface Client {
  authenticate(data?: object): Promise<object>
  reAuthenticate(): Promise<object>
  logout(): Promise<object>
  service(path: string): RemoteService
}

type Call = (...args: unknown[]) => Promise<Record<'id', unknown>>
type RemoteService = Readonly<Record<'find' | 'get' | 'create' | 'patch' | 'remove' | 'archive', Call>> & {
  on(event: string, listener: (record: object) => void): void
}

interface Socket {
  close(): void
}

// Modules that are there after the folder was installed and built.
const create = (connection: unknown): Client => requireThere('./app/lib/client.js').createClient(connection)

/** Clients by transport. What `open` holds is closed at the end. */
export const connections: Readonly<Record<string, (base: string, open: Socket[]) => Client>> = {
  REST: (base) => create(requireThere('@feathersjs/rest-client').default(base).fetch(fetch)),
  'a web socket': (base, open) => connect(base, open, ['websocket']),
  'a socket by polling': (base, open) => connect(base, open, ['polling'])
}

function connect(base: string, open: Socket[], transports: string[]): Client {
  const socket = requireThere('socket.io-client').io(base, { transports, forceNew: true })
  open.push(socket)
  return create(requireThere('@feathersjs/socketio-client')(socket))
}

/** What a client gets for a series of calls, by what they are. */
export async function useClient(client: Client, email: string): Promise<Record<string, unknown>> {
  const results: Record<string, unknown> = {}
  const note = async (name: string, call: Promise<object>) => {
    results[name] = await call.catch(({ name, message, code, data }) => ({ failed: { name, message, code, data } }))
  }
  const user = { email, password: 'secret' }
  const messages = client.service('messages')
  const users = client.service('users')
  await note('messages before the log-in', messages.find({}))
  await note('sign up', users.create(user))
  await note('log in with a wrong password', client.authenticate({ strategy: 'local', email, password: 'wrong' }))
  await note('log in', client.authenticate({ strategy: 'local', ...user }))
  await note('log in again', client.reAuthenticate())
  const { id } = await messages.create({ text: email })
  await note('messages', messages.find({ query: { text: email, $sort: { id: 1 } } }))
  await note('one message', messages.get(id))
  await note('a change', messages.patch(id, { text: 'changed' }))
  await note('a custom method', messages.archive({ id }))
  await note('a message that is not there', messages.get(0))
  await note('a message that is none', messages.create({ texts: 1 }))
  await note('the removal', messages.remove(id))
  await note('log out', client.logout())
  await note('messages after the log-out', messages.find({}))
  return results
}

const kinds = ['created', 'patched', 'removed']

/** What a client hears of messages. `end` resolves when it has heard of the one with that text. */
export function listen(client: Client) {
  const heard: unknown[] = []
  let finish = () => {}
  const end = new Promise<void>((resolve) => {
    finish = resolve
  })
  for (const kind of kinds)
    client.service('messages').on(kind, (record) => {
      heard.push([kind, record])
      if ((record as { text?: string }).text === 'the end') finish()
    })
  return { heard, end }
}
