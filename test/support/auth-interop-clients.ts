import client from '@feathersjs/authentication-client'
import { type Application, feathers } from '@feathersjs/feathers'
import restClient from '@feathersjs/rest-client'
import axios from 'axios'
import superagent from 'superagent'

const rest = restClient.default
type Options = NonNullable<Parameters<typeof client.default>[0]>

/** What a client keeps its token in: in a browser it is `localStorage`. */
export const createStorage = () => new client.MemoryStorage()
export type Storage = ReturnType<typeof createStorage>
export const tokenIn = (storage: Storage, key = 'feathers-jwt') => storage.getItem(key) as Promise<string | undefined>

const libraries = {
  fetch: (base: string) => rest(base).fetch(fetch),
  axios: (base: string) => rest(base).axios(axios),
  superagent: (base: string) => rest(base).superagent(superagent)
} as const

type Connect = (base: string, storage: Storage, options?: Partial<Options>) => Application

/** A client application with `@feathersjs/authentication-client`, on each of the HTTP libraries; it is set up as its documentation says. */
export const clients = Object.fromEntries(
  Object.entries(libraries).map(([name, connection]): [string, Connect] => [
    name,
    (base, storage, options = {}) => {
      const app = feathers()
      app.configure(connection(base) as never)
      app.configure(client.default({ storage, ...options }) as never)
      return app
    }
  ])
)

/** What a client application emits about authentication, in order. */
export function listen(app: Application): { event: string; result: object }[] {
  const events: { event: string; result: object }[] = []
  for (const event of ['login', 'authenticated', 'logout'])
    app.on(event, (result: object) => events.push({ event, result }))
  return events
}
