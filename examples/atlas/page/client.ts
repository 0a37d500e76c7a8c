import type { Paged, ServiceOf, WithInclude } from 'fastify-services'
import { authentication, createClient, memoryStorage, rest, type Storage } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import type { Country, schema as country } from '../countries.js'
import type { schema as note } from '../notes.js'
import type { schema as user } from '../users.js'

/** The services of the server. From its schemas the client knows what calls take, what queries may say, and what comes of them. */
export interface Services {
  countries: WithInclude<Paged<ServiceOf<typeof country, 'find' | 'get'>>, { neighbours: readonly Country[] }>
  'countries/:code/notes': Paged<ServiceOf<typeof note, 'find' | 'create' | 'patch' | 'remove'>>
  users: ServiceOf<typeof user, 'get' | 'create'>
}

const storageKey = 'atlas-login'
const connection = rest().fetch(fetch)

export const atlas = createClient<Services>()
  .configure(connection)
  .configure(authentication({ storage: openStorage(), storageKey }))
  .configure(events())

export const countries = atlas.service('countries')
export const notes = atlas.service('countries/:code/notes')

/** The query string of a query, as the client sends it. */
export const toQueryString = (query: object) => connection.service('countries').getQuery({ ...query })

/** Whoever is logged in. */
export interface Person {
  readonly id: number
  readonly name: string
}

let person: Person | undefined

export const whoIsHere = () => person

atlas.on('login', ({ user }) => {
  person = user
})
atlas.on('logout', () => {
  person = undefined
})

/** Calls a function when the login has been changed in another tab. */
export function onOtherTab(changed: () => void): void {
  addEventListener('storage', ({ key }) => {
    // There is no key where all has been cleared.
    if (key === storageKey || key === null) changed()
  })
}

/** The tokens are kept for the next visit. Where the browser keeps nothing, they end with the page. */
function openStorage(): Storage {
  try {
    localStorage.getItem('atlas')
    return localStorage
  } catch {
    return memoryStorage()
  }
}
