import * as door from 'fastify-services'
import { type ErrorData, NotFound, ServiceError } from 'fastify-services'
import t from 'tap'
import { errorFromJSON, isServiceError, toServiceError } from '../../lib/core/errors.js'
import { isKept } from '../support/kept.js'
import { told } from './told.js'

type Class = new (message?: string | Error, data?: ErrorData, options?: ErrorOptions) => ServiceError

const inner = new Error('inner')
const outer = new TypeError('outer')
const isOfTable = (value: unknown): value is Class =>
  typeof value === 'function' && value.prototype instanceof ServiceError
const classes = Object.values(door).filter(isOfTable)
/** What an error tells: its class, its status, its JSON. */
const shown = (error: ServiceError) => [
  classes.find((Class) => error instanceof Class)?.name ?? 'ServiceError',
  error.statusCode,
  JSON.parse(JSON.stringify(error))
]
const all = (error: ServiceError) => [
  ...shown(error),
  Object.keys(error).join(' '),
  'cause' in error ? told(error.cause) : 'no cause'
]

const given: Record<string, unknown[]> = {
  nothing: [],
  'no message': [undefined, { a: 1 }],
  'an empty message': [''],
  'an error': [inner],
  'an error and another cause': [inner, { a: 1 }, { cause: outer }],
  'a cause': ['m', undefined, { cause: outer }],
  'no cause': ['m', undefined, {}],
  'a cause that is undefined': ['m', undefined, { cause: undefined }],
  'empty data': ['m', {}],
  'data that is null': ['m', null],
  'errors alone': ['m', { errors: { a: 'is missing' } }],
  'data and errors': ['m', { a: 1, errors: [1], b: undefined }],
  'errors that are null': ['m', { errors: null }],
  'errors that are undefined': ['m', { errors: undefined }],
  'a list': ['m', [1, 2]],
  'an empty list': ['m', []],
  'a text': ['m', 'ab']
}

t.test('errors as they are made, to the last word', (t) => {
  const made = Object.fromEntries(
    Object.entries(given).map(([name, args]) => [name, all(new NotFound(...(args as [])))])
  )
  const names = ['QuotaExceeded', 'HTTPError', 'teapot', 'aB', 'A', '', 'Two Words', 'x2Y']
  const own = names.map((name) => all(new ServiceError(undefined, name, 418)))
  isKept(t, { classes: classes.map((One) => all(new One())), made, own }, 'test/core/whole-errors-made.txt')
  t.end()
})

const fail = () => {
  throw new Error('of a getter')
}
const failing = (...keys: string[]) =>
  Object.defineProperties(
    { code: 409, className: 'conflict', message: 'm' },
    Object.fromEntries(keys.map((key) => [key, { get: fail }]))
  )
const withFields = (fields: object) => Object.assign(new NotFound('m', { id: 1 }), fields)
const plain = (fields: object, message = 'm') => Object.assign(new Error(message), fields)
const fit = { code: 409, className: 'conflict' }

const thrown: Record<string, unknown> = {
  'a text': 'it broke',
  'an empty text': '',
  'a blank': ' ',
  'a number': 5,
  null: null,
  undefined: undefined,
  true: true,
  'a symbol': Symbol('s'),
  'a list': ['a'],
  'a function': told,
  'an empty object': {},
  'a message': { message: 'in words', name: 'N' },
  'an empty message and a name': { message: '', name: 'N' },
  'a message that is a number': { message: 5, name: 'N' },
  'a name that is a number': { name: 5 },
  'an error': inner,
  'an error of another class': outer,
  'an error of ours': withFields({}),
  'an error of ours without a message': withFields({ message: '' }),
  'an error of ours with a message that is none': withFields({ message: 5 }),
  'an error of ours with a name that is none': withFields({ name: 5 }),
  'an error of ours with an empty name': withFields({ name: '' }),
  'an error of ours with a class name that is none': withFields({ className: 5 }),
  'an error of ours with a code that is none': withFields({ code: 399 }),
  'an error of ours whose JSON is a text': withFields({ toJSON: () => 'text' }),
  'an error of ours whose JSON is undefined': withFields({ toJSON: () => undefined }),
  'an error of ours whose JSON is null': withFields({ toJSON: () => null }),
  'an error of ours whose JSON is a list': withFields({ toJSON: () => [] }),
  'an error of ours whose JSON fails': withFields({ toJSON: fail }),
  'an error of ours whose JSON is no function': withFields({ toJSON: 5 }),
  'the shape of one': { ...fit, name: 'Conflict', message: 'taken', data: { a: 1 }, errors: [1], more: 1 },
  'the shape without a name': { ...fit, message: 'taken' },
  'the shape without anything': fit,
  'the shape with an empty name': { ...fit, name: '' },
  'the shape with data that are null': { ...fit, data: null, errors: undefined },
  'the shape with a code that is a text': { ...fit, code: '409' },
  'the shape with a class name that is empty': { code: 409, className: '' },
  'the shape with a class name alone': { className: 'conflict', message: 'm' },
  'a code alone': plain({ code: 409 }),
  'a getter of data that throws': failing('data'),
  'a getter of a message that throws': failing('message'),
  'a getter of the class name that throws': failing('className'),
  'a validation': plain({ validation: [{ a: 1 }] }),
  'a validation that is null': plain({ validation: null, statusCode: 400 }),
  'a validation and a status': plain({ validation: [], statusCode: 422 }),
  'a status of ours and data': plain({ statusCode: 404, data: { a: 1 }, errors: [1] }),
  'a status and a code': plain({ statusCode: 404, code: 'E' }),
  ...Object.fromEntries(
    [399, 400, 417, 418, 499, 500, 507, 599, 600, 404.5, '404', Number.NaN].flatMap((code) => [
      [`the status ${JSON.stringify(code)}`, plain({ statusCode: code }, '')],
      [`the code ${JSON.stringify(code)}`, { code, className: 'c' }]
    ])
  )
}

t.test('whatever is thrown as an error of ours, to the last word', (t) => {
  const rows = Object.entries(thrown).map(([name, value]) => {
    const error = toServiceError(value)
    const how = error === value ? 'stays' : error.cause === value ? 'is the cause' : 'is lost'
    const kind = isServiceError(value) ? 'of services' : 'of others'
    return [name, [kind, how, ...shown(error)]]
  })
  isKept(t, Object.fromEntries(rows), 'test/core/whole-errors-thrown.txt')
  t.end()
})

const bodies: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  'a text': 'text',
  'a list': [{ message: 'm' }],
  'an empty object': {},
  'all fields': { name: 'N', message: 'm', code: 1, className: 'c', data: { a: 1 }, errors: [1], stack: 's', cause: 1 },
  'empty fields': { name: '', message: '', className: '', data: '', errors: '' },
  'fields that are null': { name: null, message: null, className: null, data: null, errors: null },
  'fields of other kinds': { name: 1, message: {}, className: [], data: 1, errors: false }
}

t.test('errors that are made of answers, to the last word', (t) => {
  const rows = Object.entries(bodies).map(([name, body]) => [name, all(errorFromJSON(404, body))])
  const codes = [0, 200, 399, 400, 418, 499, 500, 507, 599, 600]
  const byStatus = codes.map((status) => all(errorFromJSON(status, { message: 'm', name: 'N' })))
  const bare = codes.map((status) => all(errorFromJSON(status, '')))
  isKept(t, { byBody: Object.fromEntries(rows), byStatus, bare }, 'test/core/whole-errors-answered.txt')
  t.end()
})
