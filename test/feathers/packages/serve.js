import { memory } from '@feathersjs/memory'

const notes = () => ({
  1: { id: 1, text: 'a', userId: 1, tags: [{ name: 'x', secret: 1 }] },
  2: { id: 2, text: 'b', userId: 2, tags: [] },
  3: { id: 3, text: 'c', userId: 1, tags: [] }
})
const users = () => ({ 1: { id: 1, name: 'Ada', password: 's' }, 2: { id: 2, name: 'Bob', password: 't' } })

/** A hook that sets a member of the context. */
export const set = (name, make) => async (context) => {
  context[name] = await make(context)
}

/** Sends a request, and gives its status and its body. */
export async function request(url, method, body, headers = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers
    },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return [response.status, text === '' ? null : JSON.parse(text)]
}

/**
 * Serves `notes` and `users`, with hooks.
 * @returns their services, and a function that sends a request
 */
export async function serve(side, hooks = {}, options = {}, ofUsers = {}) {
  const all = { multi: true, startId: 4, operators: ['$and', '$nor', '$not'], filters: { $nor: true }, ...options }
  side.use('users', memory({ ...all, store: users() }), { hooks: ofUsers })
  side.use('notes', memory({ ...all, store: notes() }), { hooks })
  const base = await side.listen()
  return {
    side,
    notes: side.service('notes'),
    users: side.service('users'),
    send: (method, path, body, headers) => request(`${base}/${path}`, method, body, headers)
  }
}
