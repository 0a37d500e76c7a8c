import type { StreamMessage } from './messages.js'

interface TabLocks {
  request(name: string, options: { signal: AbortSignal }, hold: () => Promise<void>): Promise<void>
}

/** What tabs tell each other: the lists that they want, a question for those, or what the stream has brought. */
type TabMessage =
  | { readonly tab: number; readonly lists: readonly string[] }
  | { readonly lists: true }
  | { readonly message: StreamMessage }

/** What a stream for several tabs is made of. */
export interface TabStream {
  stop(): void
  restart(): void
  refresh(): void
}

export interface TabSettings {
  /** The name that tabs with the same stream have in common; `undefined` where none shares it. */
  readonly name: string | undefined
  /** The lists that this tab wants. */
  keys(): readonly string[]
  /** Is called with what the stream brings, in each tab. */
  receive(message: StreamMessage): void
  /** Makes the stream, in the tab that holds it. */
  create(keys: () => readonly string[], tell: (message: StreamMessage) => void): TabStream
}

/**
 * Shares a stream between tabs: one holds it, since a browser opens six connections to a server over HTTP/1.1, and tells the others. When it is
 * closed, another one goes on.
 */
export function shareStream({ name, keys, receive, create }: TabSettings): TabStream {
  const { document, navigator } = globalThis as { document?: object; navigator?: { locks?: TabLocks } }
  const locks = navigator?.locks
  // Locks need a secure origin. Outside of pages there are no tabs.
  if (!name || !document || !locks) return create(keys, receive)

  const channel = new BroadcastChannel(name)
  const tab = Math.random()
  const others = new Map<number, readonly string[]>()
  const closing = new AbortController()
  let stream: TabStream | undefined
  let release = () => {}

  const post = (message: TabMessage) => channel.postMessage(message)
  const refresh = () => {
    post({ tab, lists: keys() })
    stream?.refresh()
  }
  channel.onmessage = ({ data }: { data: unknown }) => {
    const message = data as TabMessage
    if ('message' in message) receive(message.message)
    else if (message.lists === true) refresh()
    else if (stream) {
      others.set((message as { tab: number }).tab, message.lists)
      stream.refresh()
    }
  }
  const hold = () => {
    const all = () => [...new Set([keys(), ...others.values()].flat())].sort()
    const tell = (message: StreamMessage) => {
      post({ message })
      receive(message)
      if (message.event !== 'stale') return
      // Tabs that are gone want nothing any more.
      others.clear()
      post({ lists: true })
    }
    stream = create(all, tell)
    post({ lists: true })
    stream.refresh()
    return new Promise<void>((resolve) => {
      release = resolve
    })
  }
  locks.request(name, { signal: closing.signal }, hold).catch(() => {})
  refresh()

  return {
    refresh,
    restart: () => stream?.restart(),
    stop() {
      post({ tab, lists: [] })
      stream?.stop()
      closing.abort()
      release()
      channel.close()
    }
  }
}
