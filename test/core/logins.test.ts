import t from 'tap'
import { Caller, caller } from '../../lib/core/http-call.js'
import { type AcceptedLogin, isViewOf, loginsOf, noteLogin, toView, withoutOtherLogins } from '../../lib/core/logins.js'

const [ours, theirs] = [{}, {}]
const raw = { writableEnded: false, once: () => undefined }

/** Params of a call over HTTP after a guard of theirs. */
function accepted(values: Record<string, unknown>) {
  const request = {}
  const params = { [caller]: new Caller(request, raw).token, provider: 'rest' }
  const login: AcceptedLogin = { maker: theirs, values: { ...values, authenticated: true } }
  return { request, params: { ...params, ...login.values, ...noteLogin(params, login) } }
}

const cycle = () => {
  const user: Record<string, unknown> = { id: 1 }
  user.self = user
  return user
}

t.test('a clone of what a login has given is known by the request', (t) => {
  for (const make of [() => ({ id: 1 }), cycle]) {
    const { params } = accepted({ user: make() })
    const clone = { ...structuredClone({ ...params, [caller]: undefined }), [caller]: params[caller] }
    t.strictSame(Object.entries(withoutOtherLogins(clone, ours)), [['provider', 'rest']])
    t.equal(withoutOtherLogins(clone, theirs), clone, 'for its own authentication it stays')
  }
  t.end()
})

t.test('what differs was put there by somebody else, and what tells of the call stays', (t) => {
  const { params } = accepted({ user: { id: 1 }, role: 'a', provider: 'key', query: { of: 'theirs' } })
  const rest = withoutOtherLogins({ ...params, user: { id: 2 }, role: 'b' }, ours)
  t.match(rest, { user: { id: 2 }, role: 'b', provider: 'key', query: { of: 'theirs' } })
  t.notOk('authenticated' in rest)
  t.end()
})

t.test('params without a login are returned as they are', (t) => {
  for (const params of [{}, { provider: 'rest', authenticated: true, user: { id: 1 }, query: null }])
    t.equal(withoutOtherLogins(params, ours), params)
  const { params } = accepted({ user: { id: 1 } })
  const fresh = { [caller]: params[caller], query: {} }
  t.equal(withoutOtherLogins(fresh, ours), fresh, 'of a request that has one, too')
  const rest = { ...params, user: undefined, authenticated: undefined }
  t.equal(withoutOtherLogins(rest, ours), rest, 'where nothing is left of it')
  t.end()
})

t.test('one object may be given by several', (t) => {
  const user = { id: 1 }
  noteLogin({}, { maker: theirs, values: { user } })
  noteLogin({}, { maker: ours, values: { user } })
  const params = { user }
  t.equal(withoutOtherLogins(params, ours), params)
  t.equal(withoutOtherLogins(params, theirs), params)
  t.strictSame(Object.keys(withoutOtherLogins(params, {})), [])
  t.end()
})

t.test('an object that another call has got by a login proves nothing for this one', (t) => {
  const user = { id: 1 }
  const before: AcceptedLogin = { maker: ours, values: { user, authenticated: true } }
  noteLogin({}, before)
  const login: AcceptedLogin = { maker: theirs, values: { user, authenticated: true } }
  const params = { ...login.values, ...noteLogin({}, login), provider: 'rest' }
  const rest = withoutOtherLogins(params, ours)
  t.strictSame(Object.entries(rest), [['provider', 'rest']])
  t.strictSame(Object.entries(withoutOtherLogins({ ...rest, ...login.values }, ours)), [['provider', 'rest']])
  t.equal(withoutOtherLogins(params, theirs), params)
  const unmarked = withoutOtherLogins({ user, authenticated: true }, ours)
  t.strictSame(Object.entries(unmarked), [['user', user]], 'who it is may follow from it, where nothing else tells')
  t.end()
})

t.test('the logins of a request, and the params of a view', (t) => {
  const { request } = accepted({ user: { id: 1 } })
  t.match(loginsOf(request), [{ maker: theirs, values: { user: { id: 1 } } }])
  for (const none of [{}, undefined, null]) t.strictSame(loginsOf(none), [])
  const call = { service: ours, method: 'get', id: 1 }
  const view = toView(ours, 1)
  t.ok(isViewOf(view, call))
  t.ok(isViewOf(view, { ...call, id: '1' }), 'a hook may have converted the id')
  for (const other of [{ ...call, service: theirs }, { ...call, method: 'find' }, { ...call, id: 2 }, {}])
    t.notOk(isViewOf(view, other), JSON.stringify(other))
  t.notOk(isViewOf({}, {}))
  t.end()
})
