import { type Caller, caller } from '../core/caller.js'

/** Params that carry who has made the call, and its `signal`. */
export interface Carrier {
  [caller]?: Caller
  signal?: AbortSignal
}

/** The property `signal`. An AbortController is dear: there is none until somebody reads it. */
export const lazySignal: PropertyDescriptor & ThisType<Carrier> = {
  configurable: true,
  get() {
    return this[caller]?.signal
  },
  set(value) {
    Object.defineProperty(this, 'signal', { value, configurable: true, enumerable: true, writable: true })
  }
}

/** The params of a call over HTTP (wire contract: "Request → service call"). Their `signal` is inherited: to define it for each is dear. */
export class RestParams {
  readonly [caller]: Caller
  query: unknown
  headers: unknown
  route: unknown
  provider = 'rest'

  constructor(query: unknown, headers: unknown, route: unknown, properties: object | null, from: Caller) {
    this[caller] = from
    this.query = query
    this.headers = headers
    this.route = route
    if (properties === null) return
    Object.assign(this, properties)
    this.provider = 'rest'
  }
}
Object.defineProperty(RestParams.prototype, 'signal', lazySignal)
