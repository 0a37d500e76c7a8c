import { type Caller, caller, callerIn } from '../core/caller.js'

/** The property `signal` of params. */
export const lazySignal: PropertyDescriptor = {
  configurable: true,
  get() {
    return callerIn(this)?.signal
  },
  set(value) {
    Object.defineProperty(this, 'signal', { value, configurable: true, enumerable: true, writable: true })
  }
}

/**
 * The params of a call over HTTP (docs/http.md#requests-and-calls). Their `signal` stands on the prototype,
 * since defining it on each object is expensive.
 */
export class RestParams {
  readonly [caller]: () => Caller
  query: unknown
  headers: unknown
  route: unknown
  provider = 'rest'

  constructor(query: unknown, headers: unknown, route: unknown, properties: object | undefined, from: Caller) {
    this[caller] = from.token
    this.query = query
    this.headers = headers
    this.route = route
    if (properties === undefined) return
    Object.assign(this, properties)
    this.provider = 'rest'
  }
}
Object.defineProperty(RestParams.prototype, 'signal', lazySignal)
