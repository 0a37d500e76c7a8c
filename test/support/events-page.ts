import { authentication, createClient, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import type { Note, SiteServices } from './events-site.js'

// What a page of the tests for events loads, bundled. Its address may name a server of another origin, and say that queries are sent as a body.
declare const location: { search: string }
const search = new URLSearchParams(location.search)
const client = createClient<SiteServices>()
  .configure(rest(search.get('address') ?? '', { ...(search.has('body') && { query: 'body' }) }).fetch(fetch))
  .configure(authentication())
  .configure(events())
const shown = { client, state: '', data: [] as readonly Note[] }
const heard: number[] = []

/** Logs in, and shows a list. */
async function watch(email: string | undefined, path: 'notes' | 'private', query: object = {}): Promise<void> {
  if (email) await client.authenticate({ strategy: 'local', email, password: email })
  client
    .service(path)
    .live({ query })
    .subscribe(({ state, data }) => Object.assign(shown, { state, data }))
}

const hear = () => client.service('notes').on('created', (note) => heard.push((note as Note).id))

Object.assign(globalThis, { shown, heard, watch, hear })
