import { createClient, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import { createElement, StrictMode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { useLive } from './use-live.js'

interface Note {
  id: number
  text: string
  kind: string
}
interface Services {
  notes: { find(params?: { query?: { kind?: string } }): Promise<Note[]> }
}

// The address of the server stands in that of the page.
const address = new URLSearchParams(location.search).get('address') ?? ''
const notes = createClient<Services>().configure(rest(address).fetch(fetch)).configure(events()).service('notes')

function Notes({ kind }: { kind: string }) {
  const { state, data } = useLive(notes, { query: { kind } })
  return createElement('p', {}, `${state}: ${data.map(({ text }) => text).join(', ')}`)
}

let root: Root | undefined
function render(kind: string): void {
  root ??= createRoot(document.body)
  root.render(createElement(StrictMode, {}, createElement(Notes, { kind })))
}
Object.assign(globalThis, { render })
