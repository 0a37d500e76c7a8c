import t from 'tap'
import { authenticationFor, foreignReaderFor, readerFor } from '../../lib/core/authentications.js'
import { markOf, withMark } from '../../lib/core/description.js'
import {
  hasHookApplication,
  hookApplicationOf,
  instance,
  instanceFacts,
  instanceOf,
  ownInstanceFacts,
  rootOf
} from '../../lib/core/host.js'
import { Caller, caller, callerIn, isClosed } from '../../lib/core/http-call.js'
import { isKept } from '../support/kept.js'
import { outcomeOf, told } from './told.js'

/** A response as Node has it, as far as a call looks at it. */
class Raw {
  destroyed?: boolean | undefined = false
  writableEnded = false
  readonly listeners: [string, () => void][] = []
  stream?: { destroyed: boolean }
  once(event: string, listener: () => void) {
    this.listeners.push([event, listener])
  }
  close() {
    this.destroyed = true
    for (const [, listener] of this.listeners) listener()
  }
}
type Act = (caller: Caller, raw: Raw) => unknown

const acts: Record<string, Act> = {
  nothing: () => undefined,
  signal: (caller) => void caller.signal,
  answer: (caller, raw) => Object.assign(caller, { hasAnswered: true }) && Object.assign(raw, { writableEnded: true }),
  'be answered': (_, raw) => Object.assign(raw, { writableEnded: true }),
  'answer without an end': (caller) => Object.assign(caller, { hasAnswered: true }),
  close: (_, raw) => raw.close(),
  expire: (caller) => caller.expire()
}
const courses = [
  'nothing',
  'signal',
  'answer',
  'be answered',
  'answer without an end',
  'close',
  'expire',
  'signal, close',
  'signal, answer, close',
  'signal, be answered, close',
  'signal, answer without an end, close',
  'signal, expire',
  'signal, expire, close',
  'close, expire',
  'close, signal',
  'expire, signal',
  'signal, close, expire',
  'answer, expire',
  'answer, signal, close'
]

/** What a caller tells after some acts. */
function course(names: string) {
  const raw = new Raw()
  const one = new Caller('the request', raw)
  for (const name of names.split(', ')) (acts[name] as Act)(one, raw)
  const thrown = outcomeOf(() => one.throwIfGone())
  const ended: string[] = []
  one.onEnd(() => ended.push('ended'))
  const { reason } = one.signal
  const errors = [reason, new Error('m', { cause: reason }), new Error('m'), undefined]
  const flags = { isGone: one.isGone, isOver: one.isOver, hasAnswered: one.hasAnswered, hasExpired: one.hasExpired }
  const set = Object.entries(flags).flatMap(([name, is]) => (is ? [name] : []))
  const isReason = errors.map((error) => one.isReason(error))
  return [set.join(' '), thrown, told(reason), isReason, ended, raw.listeners.map(([event]) => event)]
}

t.test('who has made a call, and whether they still wait', (t) => {
  const one = new Caller('the request', new Raw())
  const first = one.signal
  const params = [undefined, null, 'text', {}, { [caller]: 5 }, { [caller]: one.token }]
  const raws = [
    {},
    { destroyed: true },
    { destroyed: false, stream: { destroyed: true } },
    { stream: { destroyed: true } },
    { stream: { destroyed: false } }
  ]
  const kept = {
    courses: Object.fromEntries(courses.map((names) => [names, course(names)])),
    callers: params.map((given) => (callerIn(given) === one ? 'the caller' : told(callerIn(given)))),
    signals: [one.signal === first, one.request, told(one.context), one.isReason(one.signal.reason)],
    closed: raws.map(isClosed)
  }
  isKept(t, kept, 'test/core/whole-callers.txt')
  t.end()
})

/** An instance with one inside it, and one in that. */
function instances() {
  const root = { routing: 1, name: 'root' }
  const plugin: typeof root = Object.assign(Object.create(root), { name: 'plugin' })
  const child: typeof root = Object.assign(Object.create(plugin), { name: 'child' })
  return { root, plugin, child, behind: { name: 'behind', [instance]: child } }
}
type Instances = ReturnType<typeof instances>
const lists: Record<string, (keyof Instances)[] | undefined> = {
  none: undefined,
  empty: [],
  'one elsewhere': ['child'],
  'two, of the root and the child': ['root', 'child'],
  'two of the plugin': ['plugin', 'plugin'],
  'two of the child': ['child', 'child'],
  three: ['child', 'plugin', 'root']
}

t.test('which authentication is responsible for an instance', (t) => {
  const rows = Object.entries(lists).map(([name, list]) => {
    const all = instances()
    const found = list?.map((app, index) => ({ app: all[app], name: `${index} of ${app}` }))
    Object.assign(
      ownInstanceFacts(all.root),
      { foreignReader: { name: 'foreign' } },
      found && { authentications: found }
    )
    const namesOf = (find: (app: never) => unknown) =>
      Object.values(all).map((app) => (find(app as never) as { name?: string } | undefined)?.name ?? 'none')
    return [name, [authenticationFor, foreignReaderFor, readerFor].map(namesOf)]
  })
  const kept = { found: Object.fromEntries(rows) }
  isKept(t, kept, 'test/core/whole-callers-authentication.txt')
  t.end()
})

t.test('what stands for instances, their root, and marks of routes', (t) => {
  const { root, plugin, child, behind } = instances()
  const before = [root, plugin, child, 'text', undefined].map((one) => hookApplicationOf(one) === one)
  ownInstanceFacts(plugin).toHookApplication = (one) => ({ for: (one as Instances['root']).name })
  const all = [root, plugin, child]
  const mark = { entry: {} as never, name: 'find', endpoint: { verb: 'GET', path: '', byHeader: false } }
  const route = withMark({ url: '/a' }, mark)
  const kept = {
    before,
    after: all.map((one) => told(hookApplicationOf(one))),
    own: all.map(hasHookApplication),
    inherited: all.map((one) => told(instanceFacts(one).toHookApplication)),
    instances: [...all, behind].map((one) => instanceOf(one).name),
    roots: all.map((one) => rootOf(one).name),
    marks: [told(route), markOf(route) === mark, ...[{}, undefined, null, 'text'].map((one) => told(markOf(one)))]
  }
  isKept(t, kept, 'test/core/whole-callers-instances.txt')
  t.end()
})
