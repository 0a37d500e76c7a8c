import type { FastifyServerOptions } from 'fastify'
import type { ServicesOptions } from 'fastify-services'
import { countHandles, findPollution } from '../../support/process-state.js'

/** What a server can have beside its things: a table needs one of them, and each takes its time to register. */
export type Room = 'streams' | 'places' | 'never' | 'protected' | 'files' | 'responses'

/** What the server is made of; handed over as JSON. */
export interface ServerOptions {
  readonly room?: Room
  readonly server?: FastifyServerOptions
  readonly plugin?: ServicesOptions
  readonly http2?: true
  /** A host with hooks that take their time. */
  readonly late?: true
  /** The services are those of a Feathers application that is mounted. */
  readonly mounted?: true
  /** A host with parsers and plugins of its own. */
  readonly plugins?: true
  /** Where a server is that streams can be fetched from. */
  readonly upstream?: string
}

/** What the process holds. */
export interface State {
  /** How many there are of each kind of what keeps a process from its end. */
  readonly handles: Record<string, number>
  /** The sources of results that are not closed. */
  readonly open: string[]
  /** What has been put on the prototype of objects. */
  readonly polluted: string[]
  /** The calls since the last look. */
  readonly calls: { method: string; id: string | null }[]
}

const open = new Map<object, string>()
const calls: State['calls'] = []

/** Registers a source until it is closed. */
export const opened = (source: object, name: string) => void open.set(source, name)
export const closed = (source: object) => void open.delete(source)

/** Registers a call of the service that records. */
export const called = (method: string, id: unknown) =>
  void calls.push({ method, id: typeof id === 'string' ? id : null })

/** Says to the other process that a call waits. */
export const tell = () => void process.send?.({ kind: 'waiting' })

/** Answers the questions of the other process: past HTTP, so that they change nothing of what they are about. */
export function answerQuestions(): void {
  // Each of them is a handle from the first look on.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  process.on('message', () => {
    const state: State = {
      handles: countHandles(),
      open: [...open.values()],
      polluted: findPollution(),
      calls: calls.splice(0)
    }
    process.send?.({ kind: 'state', value: state })
  })
}
