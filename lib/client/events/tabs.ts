import { attempt } from '../../core/errors.js'
import type { StreamMessage } from './messages.js'

interface TabLocks {
  request(name: string, options: { signal: AbortSignal }, hold: () => Promise<void>): Promise<void>
}

/**
 * The messages between tabs: the lists of a tab, a request for these lists, the welcome of a tab, a
 * request to connect again for a refused list, or a message of the stream.
 */
type TabMessage =
  | { readonly tab: number; readonly lists: readonly string[] }
  | { readonly lists: true }
  | { readonly welcome: number }
  | { readonly retry: true }
  | { readonly message: StreamMessage }

/**
 * A message to the tabs of all users: who has logged in, `''` where somebody has logged
 * out.
 */
interface LoginMessage {
  readonly user: string
}

/** The parts of a stream that several tabs share. */
export interface TabStream {
  stop(): void
  restart(): void
  /** Connects again at once, in whichever tab holds the stream. */
  retry(): void
  refresh(): void
}

interface TabSettings {
  /** The name that the tabs of all users have in common. */
  readonly name: string
  /** Whose stream it is; `undefined` where no tab shares it. */
  readonly who: string | undefined
  /** The lists that this tab wants. */
  keys(): readonly string[]
  /** Is called with each message of the stream, in each tab. */
  receive(message: StreamMessage): void
  /** Is called when somebody has logged in or out in another tab. */
  setUser(user: string): void
  /** Makes the stream, in the tab that holds it. */
  create(keys: () => readonly string[], tell: (message: StreamMessage) => void): Omit<TabStream, 'retry'>
}

/**
 * Shares a stream between tabs, since a browser opens only six connections to a server over
 * HTTP/1.1. One tab holds it and informs the others. When that tab closes, another one takes over.
 */
export function shareStream({ name, who, keys, receive, setUser, create }: TabSettings): TabStream {
  const { document, navigator } = globalThis as { document?: object; navigator?: { locks?: TabLocks } }
  const locks = navigator?.locks
  // Locks need a secure origin. Outside of pages there are no tabs.
  const channel = who !== undefined && document && locks && attempt(() => new BroadcastChannel(name))
  if (!channel) {
    const unshared = create(keys, receive)
    return { ...unshared, retry: unshared.restart }
  }

  const tab = Math.random()
  const others = new Map<number, readonly string[]>()
  const closing = new AbortController()
  let stream: Omit<TabStream, 'retry'> | undefined
  // Until the tab with the stream knows this one, its messages may be older than a login here.
  let isKnown = false
  let release = () => {}

  const post = (message: TabMessage) => attempt(() => channel.postMessage({ ...message, who }))
  const refresh = () => {
    post({ tab, lists: keys() })
    stream?.refresh()
  }
  channel.onmessage = ({ data }: { data: unknown }) => {
    const message = data as LoginMessage | (TabMessage & { readonly who: string })
    if ('user' in message) setUser(message.user)
    else if (message.who !== who) return
    else if ('message' in message) isKnown && receive(message.message)
    else if ('welcome' in message) isKnown ||= message.welcome === tab
    else if ('retry' in message) stream?.restart()
    else if (!('tab' in message)) refresh()
    else if (stream) {
      post({ welcome: message.tab })
      others.set(message.tab, message.lists)
      stream.refresh()
    }
  }
  let stale: StreamMessage | undefined
  const hold = () => {
    const all = () => [keys(), ...others.values()].flat()
    const tell = (message: StreamMessage) => {
      post({ message })
      receive(message)
      // A repeated message was asked for.
      if (message.event !== 'stale' || message === stale) return
      stale = message
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
  // Frames in a sandbox, and pages whose storage is blocked, have locks that refuse: such a page
  // has a stream of its own.
  locks.request(`${name} ${who}`, { signal: closing.signal }, hold).catch(() => {
    channel.close()
    if (closing.signal.aborted) return
    stream = create(keys, receive)
    stream.refresh()
  })
  refresh()

  return {
    refresh,
    restart: () => stream?.restart(),
    retry: () => (stream ? stream.restart() : post({ retry: true })),
    stop() {
      post({ tab, lists: [] })
      stream?.stop()
      closing.abort()
      release()
      channel.close()
    }
  }
}

/** Tells all tabs that somebody has logged in or out in this one. */
export function tellLogin(name: string, user: string): void {
  if (!('document' in globalThis)) return
  attempt(() => {
    const channel = new BroadcastChannel(name)
    channel.postMessage({ user } satisfies LoginMessage)
    channel.close()
  })
}
