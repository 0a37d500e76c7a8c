import { idempotency, memoryStore, version } from 'fastify-services'
import { allow, authenticate, hashPassword, own, protect, scope, within } from 'fastify-services/authentication'
import { databaseErrors, inTransaction, transaction } from 'fastify-services/database'
import t from 'tap'

// The functions that make hooks, by what they are called with: what they can't use is refused at once, in a sentence that says what to write.

type Call = (...args: never[]) => unknown
const calls = (functions: Record<string, Call>) => Object.entries(functions) as [string, (value: unknown) => unknown][]

const database = { transaction: async () => {} }
const values = { null: null, number: 5, empty: '', list: ['a'], object: { a: 1 }, true: true }

const fields = calls({ own, protect, hashPassword, version })

t.test('the name of a field', async (t) => {
  for (const [name, call] of fields)
    for (const [kind, value] of [...Object.entries(values), ['undefined', undefined]] as const) {
      const message = new RegExp(`^${name} needs the name of a field: ${name}\\('\\w+'\\), got `)
      t.throws(() => call(value), { name: 'TypeError', message }, `${name}: ${kind}`)
    }
  t.throws(() => protect('password', undefined as never), /^protect needs the name of a field.+ got undefined$/)
})

t.test('what a scope is made of', async (t) => {
  for (const value of [undefined, null, 'userId', { userId: 1 }])
    t.throws(() => scope(value as never), {
      name: 'TypeError',
      message: /^scope needs a function that returns the fields of a record: scope\(\(\{ params \}\) => .+, got /
    })
  for (const value of [undefined, null, '', 5, { get: async () => ({}) }])
    t.throws(() => within(value as never), {
      name: 'TypeError',
      message: /^within needs the name of the other service: within\('projects'\), got /
    })
})

const withOptions = calls({
  'allow()': (options) => allow({ admin: true }, options),
  'own()': (options) => own('userId', options),
  'scope()': (options) => scope(() => true, options),
  'within()': (options) => within('projects', options),
  'version()': (options) => version('updatedAt', options),
  'idempotency()': idempotency,
  'memoryStore()': memoryStore,
  'databaseErrors()': databaseErrors,
  'the transaction': (options) => inTransaction(database, options)
})

t.test('options that are no object, or that are not there', async (t) => {
  for (const [who, call] of withOptions) {
    for (const value of [null, 'find', 5, ['find'], () => true])
      t.throws(() => call(value), {
        name: 'TypeError',
        message: `The options of ${who} must be an object, got `
      })
    const begin = who.replace('the', 'The')
    t.throws(() => call({ excpt: [] }), { message: `${begin} has no option 'excpt'. There are: ` })
    t.doesNotThrow(() => call(undefined))
    t.doesNotThrow(() => call({}))
  }
  t.throws(() => own('userId', { excpt: ['find'] } as never), {
    message: "own() has no option 'excpt'. There are: internal, except, clientIds. Did you mean 'except'?"
  })
  await t.rejects(
    transaction(database, async () => {}, { isolation: 'serializable' } as never),
    {
      message: "The transaction has no option 'isolation'. There are: isolationLevel"
    }
  )
  t.throws(() => authenticate({ service: 'users', strategys: ['jwt'] } as never), {
    message: "authenticate() has no option 'strategys'. There are: service, strategies. Did you mean 'strategies'?"
  })
})

const texts = 'a list of strings'
const flag = 'true or false'
const positive = 'a number above 0'
const wrong: [who: string, options: object, place: string, kind: string][] = [
  ['allow()', { role: 'role' }, 'role', 'a function'],
  ['allow()', { internal: 'yes' }, 'internal', flag],
  ['allow()', { except: 'find' }, 'except', texts],
  ['own()', { except: [5] }, 'except', texts],
  ['own()', { internal: 1 }, 'internal', flag],
  ['scope()', { clientIds: 'yes' }, 'clientIds', flag],
  ['within()', { except: 'find' }, 'except', texts],
  ['within()', { param: '' }, 'param', 'a non-empty string'],
  ['within()', { field: 5 }, 'field', 'the name of a field, or null'],
  ['version()', { required: 'yes' }, 'required', flag],
  ['version()', { set: new Date() }, 'set', 'a function'],
  ['idempotency()', { store: { get() {}, set() {} } }, 'store', 'an object with the methods get, set and add'],
  ['idempotency()', { seconds: '60' }, 'seconds', positive],
  ['idempotency()', { lock: 0 }, 'lock', positive],
  ['idempotency()', { maxBytes: -1 }, 'maxBytes', positive],
  ['idempotency()', { required: 1 }, 'required', flag],
  ['idempotency()', { user: 'id' }, 'user', 'a function'],
  ['memoryStore()', { max: '10' }, 'max', positive],
  ['memoryStore()', { maxBytes: Number.NaN }, 'maxBytes', positive],
  ['databaseErrors()', { messages: ['taken'] }, 'messages', 'an object of texts'],
  ['databaseErrors()', { messages: { email: true } }, 'messages', 'an object of texts']
]

for (const [who, options, place, kind] of wrong)
  t.test(`the option \`${place}\` of ${who} is ${kind}`, async (t) => {
    const call = withOptions.find(([name]) => name === who)?.[1] as (options: object) => unknown
    t.throws(() => call(options), {
      name: 'TypeError',
      message: `The option \`${place}\` of ${who} must be ${kind}`
    })
  })

t.test('the service of a guard', async (t) => {
  t.throws(() => authenticate({ service: 5, strategies: ['jwt'] } as never), {
    message: 'The option `service` of authenticate() must be a non-empty string, got 5'
  })
})
