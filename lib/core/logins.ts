import { attempt } from './errors.js'
import { callerIn } from './http-call.js'

/** Who a caller has proved to be, to one authentication. */
export interface Login {
  /** The authentication that was convinced. Services that another one guards do not believe it. */
  readonly maker: object
  /** What it has given to the params of the call: the user for example. */
  readonly values: Readonly<Record<string, unknown>>
}

/**
 * The property of params that tells which logins are in them. Copies of the params keep it. Its value is a function, since code that clones
 * or freezes objects deeply leaves functions alone.
 */
const mark = Symbol('logins')
interface Marked {
  [mark]?: () => readonly Login[]
}

// Params may be cloned, and lose their mark: of calls over HTTP the request knows the logins as well.
interface WithLogins {
  [mark]?: readonly Login[]
}

// A hook may take the user out of params, and hand on nothing else.
const givers = new WeakMap<object, readonly Login[]>()

/** What tells of the call, whatever an authentication gives under these names. */
const namesOfCall: readonly string[] = ['provider', 'query', 'headers', 'route']

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Notes that an authentication has accepted a caller.
 * @param params those of the call
 * @returns what to add to the params beside the values, so that they tell whose login it is
 */
export function noteLogin(params: object, login: Login): object {
  const request = callerIn(params)?.request as WithLogins | undefined
  if (request !== undefined) request[mark] = [...loginsOf(request), login]
  for (const value of Object.values(login.values))
    if (isObject(value)) givers.set(value, [...others(givers.get(value) ?? [], login.maker), login])
  const all = [...others((params as Marked)[mark]?.() ?? [], login.maker), login]
  return { [mark]: () => all }
}

const others = (logins: readonly Login[], maker: object) => logins.filter((login) => login.maker !== maker)

/** The logins of a request. */
export const loginsOf = (request: unknown): readonly Login[] => (request as WithLogins | undefined)?.[mark] ?? []

/** Whether it is what a login has given under a name, or a copy of it. */
function isGiven(value: unknown, name: string, { values }: Login): boolean {
  if (!Object.hasOwn(values, name)) return false
  const given = values[name]
  if (Object.is(value, given)) return true
  return isObject(value) && isObject(given) && textOf(value) === textOf(given)
}

// What has no JSON can't be compared, and is taken for a copy.
const textOf = (value: object) => attempt(() => JSON.stringify(value))

/** The logins whose values are in params, or were. */
interface LoginsOfParams {
  readonly all: readonly Login[]
  /** Those of this call. The others have given the same objects, but perhaps to another call: a user may be one object for all. */
  readonly ofCall: readonly Login[]
  /** Whether the params tell by themselves which logins are in them. */
  readonly areMarked: boolean
}

function loginsIn(params: object, maker: object): LoginsOfParams {
  const marked = (params as Marked)[mark]?.()
  const logins = new Set(marked)
  const ofObjects = Object.values(params).flatMap((value) => (isObject(value) ? (givers.get(value) ?? []) : []))
  for (const login of others(loginsOf(callerIn(params)?.request), maker)) {
    const isIn = ([name, value]: [string, unknown]) => isObject(value) && isGiven(value, name, login)
    if (logins.has(login) || ofObjects.includes(login) || Object.entries(params).some(isIn)) logins.add(login)
  }
  return { all: [...new Set([...logins, ...ofObjects])], ofCall: [...logins], areMarked: marked !== undefined }
}

/**
 * Takes out of params what other authentications have given: a caller who has convinced one of them has proved nothing to this one. What the
 * application has put there itself stays.
 *
 * @param maker the authentication that the params are for
 * @param accepted others that guard the same call. That the caller is authenticated is taken out all the same, but not who it is
 * @returns the params themselves where there is nothing to take out
 */
export function withoutOtherLogins<P extends object>(params: P, maker: object, accepted?: ReadonlySet<object>): P {
  const { all, ofCall, areMarked } = loginsIn(params, maker)
  if (all.every((login) => login.maker === maker)) return params
  const isOwn = (login: Login) => login.maker === maker
  const own = ofCall.filter(isOwn)
  const believed = ofCall.filter((login) => isOwn(login) || accepted?.has(login.maker))
  // That the caller has proved something now does not follow from an object that others have got as well, but who it is may.
  const knowing = areMarked ? believed : [...believed, ...all.filter(isOwn)]
  const isForeign = ([name, value]: [string, unknown]) => {
    const trusted = name === 'authenticated' || name === 'authentication' ? own : knowing
    const gave = (login: Login) => isGiven(value, name, login)
    // Several may give the same object.
    return !namesOfCall.includes(name) && all.some(gave) && !trusted.some(gave)
  }
  const taken = Object.entries(params).filter(isForeign)
  if (taken.length === 0) return params
  const rest: Record<string, unknown> & Marked = { ...params, [mark]: () => believed }
  for (const [name] of taken) delete rest[name]
  return rest as P
}

/** Takes all out of params that stands under a name of which other authentications have given something. */
export function withoutNamesOfLogins<P extends object>(params: P, logins: readonly Login[]): Partial<P> {
  const isName = (name: string) =>
    !namesOfCall.includes(name) && logins.some(({ values }) => Object.hasOwn(values, name))
  return Object.fromEntries(Object.entries(params).filter(([name]) => !isName(name))) as Partial<P>
}

const view = Symbol('view')
interface View {
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

/** Marks the params by which an authentication asks a service for a user as that user sees themselves, whatever guards the service. */
export const toView = (service: object, id: unknown): object => ({ [view]: () => ({ service, id }) })

/** Whether they are the params of such a call, and it is this one: hooks of the service may hand the params on to another call. */
export const isViewOf = (params: object, { service, method, id }: Called): boolean => {
  const viewed = (params as View)[view]?.()
  return viewed !== undefined && viewed.service === service && method === 'get' && String(viewed.id) === String(id)
}
