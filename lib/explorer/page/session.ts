import type { StreamBody } from '../../client/events/stream.js'
import {
  type AuthenticationClient,
  authentication,
  type Connection,
  memoryStorage,
  rest,
  type Storage
} from '../../client/index.js'
import type { ClientRequest, ClientResponse } from '../../client/message.js'
import { type Call, requestOfCall, type SentRequest, send } from '../model/call.js'
import { asList, propertyOf, textOf } from '../model/json.js'
import { addressOf, cookiesIn, keyHeadersIn, type LoginForm, nameOf, strategiesIn } from '../model/login.js'
import { type ExploredService, type Operation, servicesIn } from '../model/services.js'

const streamType = 'text/event-stream'

/** A response. */
export interface Exchange {
  readonly status: number
  readonly statusText: string
  readonly milliseconds: number
  readonly text: string
}

export type Show = (exchange: Exchange) => void

/** The services of a document, and the login at their server. */
export class PageSession {
  readonly services: ReadonlyMap<string, ExploredService>
  readonly base: string
  readonly strategies: readonly LoginForm[]
  readonly keyHeaders: readonly string[]
  readonly cookies: readonly string[]
  /** The address of the tools for agents. */
  readonly agents: string | undefined
  user: string | undefined
  readonly #storage: Storage
  #connection: Connection
  #login!: AuthenticationClient
  #path: string | undefined

  constructor(document: unknown, place: string) {
    this.services = servicesIn(document)
    this.base = addressOf(document, place)
    this.strategies = strategiesIn(this.services.values())
    this.keyHeaders = keyHeadersIn(document)
    this.cookies = cookiesIn(document)
    const path = textOf(propertyOf(document, 'x-mcp'))
    this.agents = path && new URL(path, this.base).href
    this.#storage = openStorage(`explorer ${this.base} `)
    const last = this.strategies.find(({ path }) => path === this.#storage.getItem('path'))
    this.#path = (last ?? this.strategies[0])?.path
    this.#connection = this.#connect()
  }

  /** A connection, with the login of an authentication service where there is one. */
  #connect(): Connection {
    const connection = rest(this.base).fetch((url, init) => this.#fetch(url, init))
    const settings = new Map<string, unknown>()
    // All that a login needs of a client. Hooks and events would double the page.
    const app = {
      get: (name: string) => settings.get(name),
      set: (name: string, value: unknown) => settings.set(name, value),
      emit: (event: string) => {
        if (event === 'logout') this.user = undefined
        return true
      },
      service: connection.service
    } as unknown as AuthenticationClient
    connection(app)
    const cookie = this.cookies.length > 0
    const options = { storage: this.#storage, storageKey: 'token', cookie }
    if (this.#path !== undefined) authentication({ ...options, path: this.#path })(app)
    this.#login = app
    return connection
  }

  async #fetch(url: string, init: object): Promise<Response> {
    const { headers, show } = init as { headers: Record<string, string>; show?: Show }
    const start = performance.now()
    const response = await fetch(url, { ...init, headers: { ...headers, ...this.keys() } })
    const text = await response.clone().text()
    const { status, statusText } = response
    show?.({ status, statusText, milliseconds: performance.now() - start, text })
    return response
  }

  /**
   * Makes a call. `show` gets the request and its answer, except those of a login, which have a
   * token.
   */
  send = (call: Call, options: { readonly show?: Show; readonly signal?: AbortSignal } = {}): Promise<unknown> =>
    send(this.#connection, call, options)

  /** Asks for the events of a list. @returns the body of the answer, as it comes */
  listen = async (call: Call, position: string | undefined, signal: AbortSignal): Promise<StreamBody> => {
    let answer: Response | undefined
    const ask = async ({ url, headers }: ClientRequest): Promise<ClientResponse> => {
      const more = { ...this.keys(), Accept: streamType, ...(position !== undefined && { 'Last-Event-ID': position }) }
      answer = await fetch(url, { headers: { ...headers, ...more }, signal, cache: 'no-store' })
      const isStream = answer.ok && answer.headers.get('content-type')?.startsWith(streamType)
      const body = isStream ? new ArrayBuffer(0) : await answer.arrayBuffer()
      return { status: isStream ? 204 : answer.status, headers: answer.headers, body }
    }
    await send(this.#connection, call, { '~client': { send: ask }, signal })
    if (!answer?.body) throw new Error('The server answers with no events')
    return answer.body
  }

  /** The request that a call would send. */
  request = (call: Call): Promise<SentRequest> => requestOfCall(call, this.base, this.headersOf(call))

  /** The headers that a call has besides those of every client. */
  headersOf({ service, operation, isStream }: Call): Record<string, string> {
    const isLogin = service.path === this.#path && operation.name === 'create'
    const accept = isStream && { Accept: streamType }
    return {
      ...accept,
      ...this.keys(),
      ...(this.token !== '' && !isLogin && { Authorization: `Bearer ${this.token}` })
    }
  }

  get token(): string {
    return String(this.#storage.getItem('token') ?? '')
  }

  /** The keys that are sent in headers of their own. */
  keys(): Record<string, string> {
    const values = this.keyHeaders.map((name) => [name, String(this.#storage.getItem(`key ${name}`) ?? '')] as const)
    return Object.fromEntries(values.filter(([, value]) => value !== ''))
  }

  setKey(name: string, value: string): void {
    this.#storage.setItem(`key ${name}`, value)
  }

  /**
   * Whether a method is for those who log in, and nobody has: what the browser sends by itself
   * can't be known.
   */
  asksForLogin({ isGuarded }: Operation): boolean {
    const canLogIn = this.strategies.length > 0 || this.keyHeaders.length > 0
    const isAnonymous = this.user === undefined && this.cookies.length === 0 && Object.keys(this.keys()).length === 0
    return isGuarded && canLogIn && isAnonymous
  }

  /** Whether nothing of a service may be called before a login. */
  needsLogin({ operations }: ExploredService): boolean {
    return [...operations.values()].every((operation) => this.asksForLogin(operation))
  }

  /** Returns the user's choice for this page, kept in this browser. */
  remembered(key: string): readonly string[] {
    try {
      const names: unknown = JSON.parse(localStorage.getItem(`explorer ${this.base} ${key}`) ?? '[]')
      return asList(names).filter((name) => typeof name === 'string')
    } catch {
      return []
    }
  }

  remember(key: string, names: readonly string[]): void {
    try {
      localStorage.setItem(`explorer ${this.base} ${key}`, JSON.stringify(names))
    } catch {
      // Without a storage it holds as long as the address does.
    }
  }

  async logIn({ path, name }: LoginForm, data: object): Promise<void> {
    if (path !== this.#path) {
      this.#path = path
      this.#storage.setItem('path', path)
      this.#connection = this.#connect()
    }
    this.user = nameOf(await this.#login.authenticate({ ...data, strategy: name }))
  }

  /** Goes on with the token of this tab, or of a cookie, where there is one that is still good. */
  async goOn(): Promise<void> {
    if ((this.token === '' && this.cookies.length === 0) || this.#path === undefined) return
    this.user = await this.#login.reAuthenticate().then(nameOf, () => undefined)
  }

  async logOut(): Promise<void> {
    await this.#login.logout()
    this.user = undefined
  }
}

/**
 * The storage of this tab, under names of its own. Where the browser has none, it ends with the
 * page.
 */
function openStorage(prefix: string): Storage {
  try {
    const storage = sessionStorage
    storage.getItem(prefix)
    return {
      getItem: (key) => storage.getItem(prefix + key),
      setItem: (key, value) => storage.setItem(prefix + key, value),
      removeItem: (key) => storage.removeItem(prefix + key)
    }
  } catch {
    return memoryStorage()
  }
}
