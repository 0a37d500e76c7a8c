import type { KnexService } from '@feathersjs/knex'
import { authentication, createClient, memoryStorage, type Paged, rest, type Storage } from 'fastify-services/client'
import type { Country } from '../countries.js'
import type { Note } from '../notes.js'
import type { User } from '../users.js'

/** The services of the server: from these types the client knows its paths, queries and results. */
interface Services {
  countries: Paged<Pick<KnexService<Country>, 'find' | 'get'>>
  'countries/:code/notes': Paged<KnexService<Note, Pick<Note, 'text' | 'pinned'>>>
  users: Pick<KnexService<User, Omit<User, 'id'>>, 'get' | 'create'>
}

const connection = rest().fetch(fetch)

export const atlas = createClient<Services>()
  .configure(connection)
  .configure(authentication({ storage: openStorage() }))

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

/** The tokens are kept for the next visit. Where the browser keeps nothing, they end with the page. */
function openStorage(): Storage {
  try {
    localStorage.getItem('atlas')
    return localStorage
  } catch {
    return memoryStorage()
  }
}
