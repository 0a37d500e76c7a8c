import { attempt } from './errors.js'
import { callerIn } from './http-call.js'

/** A login that one authentication has accepted. */
export interface AcceptedLogin {
  /**
   * The authentication that has accepted the caller. Services that another authentication guards do
   * not trust it.
   */
  readonly maker: object
  /** The params that the authentication has set, such as the user. */
  readonly values: Readonly<Record<string, unknown>>
  /**
   * Unique key of the caller (JSON), since users of two authentications may have the same id.
   * `undefined` if there is none.
   */
  readonly identity?: readonly unknown[] | undefined
}

/** An authentication that can be asked again. */
export interface LoginVerifier {
  /** Whether a login that it has accepted would be accepted now. */
  isStillGood(login: AcceptedLogin): Promise<boolean>
}

/**
 * The property of params that lists the logins in them. Copies of the params keep it. Its value is
 * a function, since code that clones or freezes objects deeply leaves functions alone.
 */
const loginsMark = Symbol('logins')
interface Marked {
  [loginsMark]?: () => readonly AcceptedLogin[]
}

// A request holds the logins of its call too, since params that are cloned lose their mark.
interface WithLogins {
  [loginsMark]?: readonly AcceptedLogin[]
}

// A hook may pass on the user alone, without the params: the objects themselves lead to their
// logins.
const givers = new WeakMap<object, readonly AcceptedLogin[]>()

/**
 * Params that belong to the call: an authentication can't set them, whatever values it has under
 * these names.
 */
const namesOfCall: readonly string[] = ['provider', 'query', 'headers', 'route']

const isObjectOrList = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Notes that an authentication has accepted a caller.
 * @param params those of the call
 * @returns params to add besides the values: they say whose login it is
 */
export function noteLogin(params: object, login: AcceptedLogin): object {
  const request = callerIn(params)?.request as WithLogins | undefined
  if (request !== undefined) request[loginsMark] = [...loginsOf(request), login]
  for (const value of Object.values(login.values))
    if (isObjectOrList(value)) givers.set(value, [...loginsOfOthers(givers.get(value), login.maker), login])
  const all = [...loginsOfOthers((params as Marked)[loginsMark]?.(), login.maker), login]
  // V8 takes ten times as long for a literal with such a name.
  const mark: Marked = {}
  mark[loginsMark] = () => all
  return mark
}

/** The logins that the params of a call are marked with, the latest last. */
export const loginsInParams = (params: object): readonly AcceptedLogin[] =>
  (params as Marked)[loginsMark]?.() ?? noLogins

const noLogins: readonly AcceptedLogin[] = []

const loginsOfOthers = (logins: readonly AcceptedLogin[] | undefined, maker: object): readonly AcceptedLogin[] =>
  logins === undefined || logins.length === 0 ? noLogins : logins.filter((login) => login.maker !== maker)

/** The logins of a request. */
export const loginsOf = (request: unknown): readonly AcceptedLogin[] =>
  (request as WithLogins | undefined)?.[loginsMark] ?? noLogins

/** Whether a login has put a value into params under a name, or it is a copy of that value. */
function isFromLogin(value: unknown, name: string, { values }: AcceptedLogin): boolean {
  if (!Object.hasOwn(values, name)) return false
  const loginValue = values[name]
  if (Object.is(value, loginValue)) return true
  return isObjectOrList(value) && isObjectOrList(loginValue) && jsonOf(value) === jsonOf(loginValue)
}

// Two values without JSON, such as circular objects, count as equal: the safe side, since foreign
// values are removed.
const jsonOf = (value: object) => attempt(() => JSON.stringify(value))

/** The logins whose values are, or were, in the params of a call. */
interface LoginsOfParams {
  readonly all: readonly AcceptedLogin[]
  /**
   * The logins of this call. Others of `all` have put the same objects into the params of some
   * call: a user may be one cached object.
   */
  readonly ofCall: readonly AcceptedLogin[]
  /** Whether the params have the mark that names their logins. */
  readonly areMarked: boolean
}

/** The logins of params, for an authentication. `undefined` where no login has given anything. */
function loginsIn(params: object, maker: object): LoginsOfParams | undefined {
  const marked = (params as Marked)[loginsMark]?.()
  const ofObjects: AcceptedLogin[] = []
  for (const value of Object.values(params)) {
    const logins = typeof value === 'object' && value !== null ? givers.get(value) : undefined
    if (logins !== undefined) ofObjects.push(...logins)
  }
  const ofOthers = loginsOfOthers(loginsOf(callerIn(params)?.request), maker)
  // The first guard of most requests.
  if (marked === undefined && ofObjects.length === 0 && ofOthers.length === 0) return undefined
  const logins = new Set(marked)
  for (const login of ofOthers) {
    const isIn = ([name, value]: [string, unknown]) => isObjectOrList(value) && isFromLogin(value, name, login)
    if (logins.has(login) || ofObjects.includes(login) || Object.entries(params).some(isIn)) logins.add(login)
  }
  return { all: [...new Set([...logins, ...ofObjects])], ofCall: [...logins], areMarked: marked !== undefined }
}

/**
 * Removes the values of other authentications from params: a caller whom one of them accepted has
 * proved nothing to this one. Values of the application stay.
 *
 * @param maker the authentication that the params are for
 * @param accepted others that guard the same call. That the caller is authenticated is taken out
 * all the same, but not who it is
 * @returns the params themselves where there is nothing to take out
 */
export function withoutOtherLogins<P extends object>(params: P, maker: object, accepted?: ReadonlySet<object>): P {
  const logins = loginsIn(params, maker)
  if (logins === undefined || logins.all.every((login) => login.maker === maker)) return params
  const { all, ofCall, areMarked } = logins
  const isOwn = (login: AcceptedLogin) => login.maker === maker
  const ownLogins = ofCall.filter(isOwn)
  const believed = ofCall.filter((login) => isOwn(login) || accepted?.has(login.maker))
  // A user object that several calls share says who the caller is, but not that this call was
  // authenticated.
  const knowing = areMarked ? believed : [...believed, ...all.filter(isOwn)]
  const isForeign = ([name, value]: [string, unknown]) => {
    const trusted = name === 'authenticated' || name === 'authentication' ? ownLogins : knowing
    const isSource = (login: AcceptedLogin) => isFromLogin(value, name, login)
    // A value stays if a trusted login has it as well.
    return !namesOfCall.includes(name) && all.some(isSource) && !trusted.some(isSource)
  }
  const foreignEntries = Object.entries(params).filter(isForeign)
  if (foreignEntries.length === 0) return params
  const rest: Record<string, unknown> & Marked = { ...params, [loginsMark]: () => believed }
  for (const [name] of foreignEntries) delete rest[name]
  return rest as P
}

/** Removes every param whose name other authentications use. */
export function withoutNamesOfLogins<P extends object>(params: P, logins: readonly AcceptedLogin[]): Partial<P> {
  const isName = (name: string) =>
    !namesOfCall.includes(name) && logins.some(({ values }) => Object.hasOwn(values, name))
  return Object.fromEntries(Object.entries(params).filter(([name]) => !isName(name))) as Partial<P>
}

const view = Symbol('view')
interface WithView {
  [view]?: () => Viewed
}

/** A record of a service. */
interface Viewed {
  readonly service: unknown
  readonly id: unknown
}

/** A call of a service. */
export interface Called {
  readonly service?: unknown
  readonly method?: unknown
  readonly id?: unknown
}

/**
 * Marks the params by which an authentication asks a service for a user as that user sees
 * themselves, whatever guards the service.
 */
export const toView = (service: object, id: unknown): object => ({ [view]: () => ({ service, id }) })

/**
 * Whether `toView` marked these params for this very call: hooks of the service may pass them on to
 * another call.
 */
export const isViewOf = (params: object, { service, method, id }: Called): boolean => {
  const viewed = (params as WithView)[view]?.()
  return viewed !== undefined && viewed.service === service && method === 'get' && String(viewed.id) === String(id)
}
