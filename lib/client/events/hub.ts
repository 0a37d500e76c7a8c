import { BadRequest, errorFromJSON, NotFound, Unavailable } from '../../core/errors.js'
import { createEmitter, eventMethods } from '../../core/events.js'
import { type ClientRequest, type ClientResponse, mergeHeaders, nameIn } from '../message.js'
import { blank, longestURL, misread, vanishing } from '../query-flaws.js'
import type { Send } from '../redirect-page.js'
import type { Connection } from '../rest.js'
import { findFlaw, stringify } from '../rest-service.js'
import { readResponse } from '../transports/fetch.js'
import { createCalls, loginUserOf, whoOf } from './calls.js'
import { parseKey, type Signal, type StreamMessage } from './messages.js'
import type { ClientEventsOptions, EventsApp, EventsState, HookedCall, HookedService, Watcher } from './options.js'
import {
  codeOf,
  createStream,
  isEventStream,
  isPassing,
  type StreamBody,
  type StreamFetch,
  type StreamResponse
} from './stream.js'
import { shareStream, type TabStream, tellLogin } from './tabs.js'

export type Hub = ReturnType<typeof createHub>

const noAnswer: ClientResponse = { status: 200, headers: {}, body: '' }
const authorizationOf = ({ headers }: ClientRequest) => headers[nameIn(headers, 'authorization') ?? '']

/** Tracks the client's subscriptions and dispatches stream messages to their listeners. */
export function createHub(app: EventsApp, connection: Connection, options: ClientEventsOptions) {
  const { path = 'events', tabs = true, heartbeat = 20_000, logger = console } = options
  const service = app.service(path) as HookedService
  // Hooks of all services have run before: whatever they have made of the params and the result,
  // the request is sent.
  const keepSending = (context: HookedCall) => {
    const { params } = context
    params.connection = { ...params.connection, '~client': params['~client'] }
    delete context.result
  }
  service.hooks({ before: { find: [keepSending] } })
  const { base } = connection.service(path)
  const library = app.rest as StreamFetch
  // The other libraries have a function `get`.
  const fetcher = options.fetch ?? ('get' in library ? (fetch as StreamFetch) : library)
  const watchers = new Map<string, Set<Watcher>>()
  const allWatchers = () => [...watchers.values()].flatMap((set) => [...set])
  // Lists show own calls while the stream is away, too.
  const calls = createCalls(connection, (name) => {
    for (const watcher of allWatchers()) if (watcher.service.name === name) watcher.hear({ event: 'changed' })
  })
  const events = {
    get state() {
      return state
    },
    close
  }
  const { emit } = Object.assign(
    events,
    eventMethods(createEmitter(), events, (error) => console.error(error))
  )

  // The lists that need a login, while nobody is logged in.
  const refused = new Set<string>()
  let state: EventsState = 'idle'
  // The last known state of each list.
  const states = new Map<string, Signal>()
  let stream: TabStream | undefined
  let position: string | undefined
  // The lists of the stream at the position, and those of this tab that any stream has had.
  let followed: readonly string[] = []
  const joined = new Set<string>()
  // Of whom the stream is.
  let who: string | undefined
  // Who has logged in last, in this tab or another one. Cookies do not say it.
  let user: string | undefined
  const name = `${base}/${path}`
  let turn = 0

  const warn = (text: string) => {
    if (logger) logger.warn(text)
  }
  const keys = () => [...watchers.keys()]

  function setState(next: EventsState, signal?: Signal): void {
    if (state === next) return
    state = next
    emit(next, signal)
  }

  function receive({ error: body, ...message }: StreamMessage): void {
    const { event, id, keys: lists = keys(), isResumed } = message
    const error = body ? errorFromJSON(codeOf(body), body) : undefined
    const signal = { ...message, error }
    position = id ?? position
    // A list that joins the stream late, such as a list of another tab, has missed earlier events.
    const isMissed = (key: string) => joined.has(key) && !(isResumed && followed.includes(key))
    const missed = event === 'connected' ? lists.filter(isMissed) : []
    const concerned = lists.flatMap((key) => {
      if (/^(connected|stale|stopped)$/.test(event)) states.set(key, signal)
      return [...(watchers.get(key) ?? [])]
    })
    if (event === 'connected') {
      followed = lists
      for (const key of lists) if (watchers.has(key)) joined.add(key)
      setState('live')
    } else if (event === 'stale') setState('stale', signal)
    else if (event === 'reset' || (event === 'stopped' && message.keys)) emit(event, signal)
    else if (event === 'stopped') setState(error ? 'stopped' : 'stale', signal)
    else if (event !== 'changed') {
      const begun = turn
      for (const service of new Set(concerned.map((watcher) => watcher.service)))
        calls.emit(service, signal, () => begun === turn)
    }
    for (const watcher of concerned) watcher.hear(signal)
    if (missed.length) receive({ event: 'reset', id, keys: missed })
  }

  /** Sends a request by the connection, as a call, but for what answers it. */
  const ask = (send: Send) => service.find({ '~client': { send } })

  async function open(wanted: readonly string[], after: string | undefined, signal: AbortSignal): Promise<StreamBody> {
    const lists = wanted.map(parseKey).map(([path, query]) => ({ path, query }))
    // Where a URL can't express a query, the stream has more than the list: that costs reads, and
    // misses nothing.
    const subscribe = lists.map((list) =>
      findFlaw(list.query, vanishing | misread | blank) ? { path: list.path } : list
    )
    let answer: StreamResponse | undefined
    const send = async (request: ClientRequest): Promise<ClientResponse> => {
      answer = undefined
      // Another tab may have logged in as somebody else.
      if (whoOf(authorizationOf(request)) !== who) changeUser()
      signal.throwIfAborted()
      const names = mergeHeaders(request.headers, { Accept: 'text/event-stream', 'Last-Event-ID': after })
      const init = { ...request.options, cache: 'no-store', headers: names, signal }
      const url = request.url + (request.url.includes('?') ? '&' : '?') + stringify({ subscribe })
      const body = JSON.stringify({ subscribe: lists })
      if (url.length > longestURL || lists.some((list, index) => list !== subscribe[index])) {
        const headers = { ...names, 'Content-Type': 'application/json' }
        const query = { ...init, method: 'QUERY', headers, body }
        answer = await fetcher(url.split('?')[0] as string, query).catch(() => undefined)
        if (answer && [400, 404, 405, 501].includes(answer.status)) answer = undefined
      }
      answer ??= await fetcher(url, { ...init, method: 'GET' })
      if (isEventStream(answer)) return noAnswer
      return readResponse(answer)
    }
    const error = await ask(send).then(
      () => new NotFound(`${base}/${path} answers with no stream of events`),
      (reason) => reason
    )
    // Hooks may change the answer; the stream does not depend on it.
    if (!answer || !isEventStream(answer)) {
      if (isUnauthorized(error) && wanted.length > 1) await findRefused(wanted, signal)
      throw Object.assign(Object(error), { retryAfter: answer?.headers.get('retry-after') })
    }
    if (!answer.body) throw new BadRequest('This fetch gives no streams: name one in events({ fetch })')
    return answer.body
  }

  /**
   * Finds the lists that need a login. The others go on without.
   * @throws {Unavailable} when there are others
   */
  async function findRefused(wanted: readonly string[], signal: AbortSignal): Promise<void> {
    const before = refused.size
    for (const key of wanted) {
      const end = (body: StreamBody) => void body.getReader().cancel()
      const note = (error: unknown) => {
        if (isPassing(error)) throw error
        // The stream of the others tells of one that is refused otherwise.
        if (!isUnauthorized(error)) return
        refused.add(key)
        receive({ event: 'stopped', keys: [key], error })
      }
      await open([key], undefined, signal).then(end, note)
    }
    if (refused.size - before < wanted.length) throw new Unavailable('Some lists need a login')
  }

  /** Begins to listen, as who is logged in now. */
  async function join(): Promise<void> {
    const begun = ++turn
    let credentials: string | undefined
    const send = async (request: ClientRequest) => {
      credentials = authorizationOf(request)
      return noAnswer
    }
    states.clear()
    setState('connecting')
    await ask(send).catch(() => {})
    if (begun !== turn) return
    who = whoOf(credentials)
    user = who || user
    // Without a token, nothing distinguishes the users of two tabs.
    const isShared = tabs && (!who || who !== credentials)
    stream = shareStream({
      name,
      who: isShared ? who : undefined,
      keys,
      receive,
      setUser,
      create: (all, tell) =>
        createStream({ open, keys: () => all().filter((key) => !refused.has(key)), tell, heartbeat, position, warn })
    })
    stream.refresh()
  }

  function leave(): void {
    turn++
    refused.clear()
    stream?.stop()
    stream = who = position = undefined
    followed = []
    joined.clear()
  }

  function changeUser(): void {
    leave()
    for (const watcher of allWatchers()) watcher.hear({ event: 'user' })
    if (watchers.size) void join()
  }

  function end(next: 'idle' | 'closed'): void {
    leave()
    user = undefined
    setState(next)
  }

  function close(): void {
    for (const watcher of allWatchers()) watcher.hear({ event: 'closed' })
    watchers.clear()
    for (const type of visits) removeEventListener?.(type, goOn)
    end('closed')
  }

  /** Begins anew for another user; for the same, where lists were refused. */
  function setUser(next: string): void {
    const isSame = next && next === user
    user = watchers.size ? next : undefined
    if (!isSame) changeUser()
    else if (state === 'stopped' || refused.size) {
      refused.clear()
      stream?.restart()
    }
  }

  function tellUser(next: string): void {
    if (tabs) tellLogin(name, next)
    setUser(next)
  }

  app.on('logout', () => tellUser(''))
  app.on('login', (result) => tellUser(loginUserOf(result)))
  // A page that goes takes its lists with it. One that was only put aside is shown again.
  const goOn = ({ type, persisted }: { type: string; persisted?: boolean }) => {
    if (type === 'online') stream?.restart()
    else if (type === 'pagehide') stream?.stop()
    else if (persisted && stream) {
      stream.stop()
      // The stream has gone on in another tab.
      followed = []
      void join()
    }
  }
  const { addEventListener, removeEventListener } = globalThis as Partial<Listening>
  for (const type of visits) addEventListener?.(type, goOn)

  return {
    base,
    events,
    /** Asks for the stream again, for lists that were refused. */
    retry: () => stream?.retry(),
    /** Is called when a list is wanted. It returns the function that ends that. */
    watch(key: string, watcher: Watcher): () => void {
      const set = watchers.get(key) ?? new Set()
      watchers.set(key, set.add(watcher))
      if (state === 'closed') return () => {}
      if (watchers.size === 1 && set.size === 1) void join()
      else if (set.size === 1) stream?.refresh()
      // Lists that the stream has already.
      if (followed.includes(key)) joined.add(key)
      const last = states.get(key)
      if (last) watcher.hear(last)
      return () => {
        set.delete(watcher)
        if (set.size || watchers.get(key) !== set) return
        watchers.delete(key)
        states.delete(key)
        joined.delete(key)
        if (watchers.size) stream?.refresh()
        else end('idle')
      }
    }
  }
}

const isUnauthorized = (error: unknown) => codeOf(error) === 401
const visits = ['online', 'pageshow', 'pagehide'] as const
interface Listening {
  addEventListener(type: string, listener: (event: { type: string }) => void): void
  removeEventListener(type: string, listener: (event: { type: string }) => void): void
}
