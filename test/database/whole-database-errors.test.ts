import Fastify from 'fastify'
import type { HookContext } from 'fastify-services'
import services, { Conflict, NotFound, type ServiceError } from 'fastify-services'
import { databaseErrors } from 'fastify-services/database'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { codes, details, longStates, mysql, near, postgres, texts, thrown } from './database-texts.js'
import * as lite from './database-texts-sqlite.js'

const messages = { mine: 'My own words', named: 'The name is taken', email: 'The address is taken' }

const shown = (value: unknown): string =>
  (Array.isArray(value) ? `[${value}]` : String(value)).replace(
    /(.)\1{30,}/g,
    (run, letter) => `${letter}×${run.length}`
  )

/** What the hook makes of an error: `as it was`, or the status, the message, what it says of fields, of the time, and of which error. */
function answer(
  error: unknown,
  method = 'create',
  options: Parameters<typeof databaseErrors>[0] = { messages }
): unknown {
  const context = { error, method } as HookContext
  databaseErrors(options)(context)
  if (context.error === error) return 'as it was'
  const { code, message, errors, data, cause } = context.error as ServiceError & { cause: Error }
  const fields = (errors as unknown as { instancePath: string; keyword: string; message: string }[] | undefined)?.map(
    (item) => `${item.instancePath} ${item.keyword}${item.message === message ? '' : item.message}`
  )
  const none = errors !== undefined && fields?.length === 0 ? ['an empty list'] : []
  const of = cause === error ? [] : [`of: ${cause?.message}`]
  const more = data === undefined || Array.isArray(errors) ? [] : [data]
  return [code, shown(message), ...(fields ?? []).map(shown), ...none, ...more, ...of]
}

/** By what came of it, the rows that it came of. */
function grouped(rows: readonly (readonly [name: string, error: unknown])[]): Record<string, string> {
  const groups: Record<string, string[]> = {}
  for (const [name, error] of rows) {
    const group = [answer(error)].flat().map((part) => (typeof part === 'object' ? JSON.stringify(part) : part))
    const key = group.join(' | ')
    groups[key] = [...(groups[key] ?? []), name]
  }
  return Object.fromEntries(Object.entries(groups).map(([outcome, names]) => [outcome, names.join(', ')]))
}

t.test('what drivers throw, and what is said of it', async (t) => {
  const table = {
    'PostgreSQL by its codes': grouped(codes.map((code) => [shown(code), postgres(code)])),
    'PostgreSQL by what it tells': Object.fromEntries(
      Object.entries(details).map(([name, [code, fields]]) => [name, answer(postgres(code, fields))])
    ),
    'MySQL by its numbers': grouped(near.map((number) => [String(number), mysql(number, 'HY000', 'No')])),
    'MySQL by its states': grouped(
      codes
        .filter((code) => code !== '23505')
        .map((code) => [shown(code), mysql(7, typeof code === 'string' ? `#${code}` : code, 'No')])
    ),
    'MySQL by longer states': grouped(longStates.map((state) => [state, mysql(7, state, 'No')])),
    'MySQL by a state alone': answer(mysql(7, '22003', 'No')),
    'MySQL by kinds': grouped([
      ['a number that is a text', mysql('1062', '23000', 'No')],
      ['no number', mysql(undefined, '23000', 'No')],
      ['no state', mysql(1062, undefined, 'No')],
      ['a state that is a number', mysql(1062, 23000, 'No')],
      ['a text that is none', mysql(1062, '23000', 7)],
      ['no text, and a message', mysql(1048, '23000', undefined, "Column 'title' cannot be null")],
      ['no text, and a statement', mysql(1048, '23000', undefined, "select 1 - Column 'title' cannot be null")],
      ['no text, and the end', mysql(1366, '23000', undefined, "select 1 - No for column 'title' at row 1")],
      ['a text before a message', mysql(1048, '23000', 'No', "Column 'title' cannot be null")],
      ['a statement in the text', mysql(1048, '23000', "x - Column 'title' cannot be null")]
    ]),
    'MySQL by its texts': texts.map(([number, text]) => [number, shown(text), answer(mysql(number, '99999', text))]),
    'SQLite by its texts: with a code, and without': lite.sqlite.map((text) => [
      shown(text),
      answer(thrown(text, { code: 'SQLITE_X' })),
      answer(thrown(text))
    ]),
    'SQLite by its codes': grouped(lite.sqliteCodes.map((code) => [shown(code), thrown('No', { code })])),
    'SQLite by its codes, of a text that says more': grouped(
      lite.sqliteCodes.map((code) => [shown(code), thrown('UNIQUE constraint failed: u.a', { code })])
    ),
    'connections by the network': grouped(
      [
        ...lite.networkCodes.map((code) => ['connect', code] as const),
        ...lite.syscalls.flatMap((syscall) => [[syscall, 'EPIPE'] as const, [syscall, 'EACCES'] as const])
      ].map(([syscall, code]) => [`${shown(syscall)} ${shown(code)}`, thrown('No', { syscall, code })])
    ),
    'connections by the driver': grouped(lite.driverCodes.map((code) => [shown(code), thrown('No', { code })])),
    'connections by their texts': grouped(lite.connections.map((text) => [text.replace('\n', ' '), thrown(text)])),
    'aborted, with a code': grouped(['', null, 'ABORT_ERR'].map((code) => [shown(code), thrown('aborted', { code })]))
  }
  isKept(t, table, 'test/database/whole-database-errors.txt')
})

const inner = (name: string) => postgres('23502', { column: name })
const symbol = Symbol('of an adapter')
const list = (count: number) => [...Array.from({ length: count }, () => new Error('no')), inner('last')]
const deep = (count: number): Error => (count === 0 ? inner('deep') : thrown(`${count}`, { cause: deep(count - 1) }))
const hostile = Object.defineProperty(thrown('no'), 'parent', {
  get() {
    throw new Error('no parent')
  }
})

const wrapped: Record<string, unknown> = {
  ...Object.fromEntries(
    ['original', 'parent', 'nativeError', 'driverError', 'cause', 'inner', 'error'].map((name) => [
      name,
      thrown('no', { [name]: inner(name) })
    ])
  ),
  'all of them': thrown('no', {
    cause: inner('cause'),
    driverError: inner('driverError'),
    original: inner('original')
  }),
  'the second leads to one': thrown('no', { original: new Error('no'), cause: inner('cause') }),
  'a symbol of no adapter': thrown('no', { [symbol]: inner('a') }),
  'a symbol of an adapter': Object.assign(new Conflict('no'), { [Symbol('other')]: 7, [symbol]: inner('a') }),
  'a cause of an error of ours': Object.assign(new Conflict('no'), { cause: inner('a') }),
  'errors of an error of ours': Object.assign(new Conflict('no'), { errors: [inner('a')] }),
  'an error of ours that reads as one of a driver': Object.assign(new NotFound('no'), {
    severity: 'ERROR',
    code: '23502'
  }),
  'a class name by hand': thrown('no', { className: 'mine', severity: 'ERROR', code: '23502' }),
  'no class name': thrown('no', { severity: 'ERROR', code: '23502' }),
  ...Object.fromEntries(
    [0, 1, 9, 10].map((count) => [`${count} others before it`, thrown('no', { errors: list(count) })])
  ),
  'errors that are no list': thrown('no', { errors: { 0: inner('a'), length: 1 } }),
  'errors and a cause': thrown('no', { errors: [inner('a')], cause: inner('cause') }),
  ...Object.fromEntries([1, 3, 4].map((count) => [`${count} deep`, deep(count)])),
  'a type error': Object.assign(new TypeError('no'), { cause: inner('a') }),
  'a type error that is one of a driver': Object.assign(new TypeError('no'), { severity: 'ERROR', code: '23502' }),
  'a status of its own': thrown('no', { statusCode: 418, cause: inner('a') }),
  'a status that is no number': thrown('no', { statusCode: '418', cause: inner('a') }),
  'a status of what is inside': thrown('no', { cause: Object.assign(inner('a'), { statusCode: 418 }) }),
  'a status of an error of ours': Object.assign(new Conflict('no'), { [symbol]: inner('a') }),
  'an object that is no error': { severity: 'ERROR', code: '23502', message: 'no' },
  'an object inside that is no error': thrown('no', { cause: { severity: 'ERROR', code: '23502' } }),
  'a getter that throws': hostile,
  'an error that says nothing': new Error(''),
  'two drivers at once': thrown('FOREIGN KEY constraint failed', { severity: 'ERROR', code: '23505' }),
  'PostgreSQL and MySQL at once': thrown('no', { severity: 'ERROR', code: '23505', errno: 1048, sqlState: '23000' }),
  'MySQL and a connection at once': thrown('no', { code: 'CONNECT_TIMEOUT', errno: 1048, sqlState: '23000' }),
  text: 'UNIQUE constraint failed: users.a',
  nothing: undefined,
  null: null
}

t.test('what wraps them, what was called, and whose words are told', async (t) => {
  const reference = thrown('FOREIGN KEY constraint failed')
  const named = {
    'a reference': reference,
    required: inner('a'),
    unique: postgres('23505', { detail: 'Key (email)=(1)' })
  }
  const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']
  const check = await Promise.all(
    ['around', 'before', 'after', 'error'].map(async (type) => {
      const app = Fastify()
      t.teardown(() => app.close())
      await app.register(services)
      app.service('a/users', { find: async () => [] }, { hooks: { [type]: { find: [databaseErrors() as never] } } })
      return [
        type,
        await app.ready().then(
          () => 'starts',
          (error: Error) => error.message
        )
      ]
    })
  )
  const table = {
    wrapped: Object.fromEntries(Object.entries(wrapped).map(([name, error]) => [name, answer(error)])),
    methods: Object.fromEntries(
      Object.entries(named).map(([name, error]) => [
        name,
        Object.fromEntries(methods.map((method) => [method, answer(error, method)]))
      ])
    ),
    words: [{}, { messages: {} }, { messages: { '': 'Of no name' } }, { messages: { email: 'x' } }].map((options) => [
      JSON.stringify(options),
      Object.values(named).map((error) => answer(error, 'create', options)),
      answer(postgres('23505'), 'create', options)
    ]),
    check: Object.fromEntries(check)
  }
  isKept(t, table, 'test/database/whole-database-errors-wrapped.txt')
})
