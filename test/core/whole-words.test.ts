import t from 'tap'
import { isJSON, isMultipart, streamOf } from '../../lib/core/content.js'
import { isCustom, isReserved, nameError } from '../../lib/core/methods.js'
import { isObject, isPlain, merge, pick } from '../../lib/core/objects.js'
import { commonOperators } from '../../lib/core/operators.js'
import { checkOptionNames, isClass, shown, shownText, withoutRegister } from '../../lib/core/options.js'
import { encodeSegment, fillPath, joinPath, placeholdersIn, stripSlashes } from '../../lib/core/path.js'
import { isKept } from '../support/kept.js'
import { forEachOf, outcomeOf, told } from './told.js'

const fail = () => {
  throw new Error('of a getter')
}
const values: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  zero: 0,
  NaN: Number.NaN,
  true: true,
  'an empty text': '',
  'a text': 'abc',
  '40 characters': 'x'.repeat(40),
  '41 characters': `${'x'.repeat(40)}y`,
  'a symbol': Symbol('s'),
  'a large number': 10n,
  'a function': fail,
  'an old function': Array,
  'a function whose name begins so': { classify: told }.classify,
  'a class': class Mailer {},
  'a class without a name': (() => class {})(),
  'a class of a class': class Sub extends Map {},
  'an object of a class': new (class Mailer {})(),
  'an empty list': [],
  'an object': { a: 1 },
  'an object without a prototype': Object.create(null),
  'an object of an object': Object.create({}),
  'an object of one without a prototype': Object.create(Object.create(null)),
  'a date': new Date(0),
  'a map': new Map(),
  'an error': new Error('m')
}

t.test('what was given, in words', (t) => {
  const rows = Object.entries(values).map(([name, value]) => {
    const kinds = { plain: isPlain(value), object: isObject(value), class: isClass(value) }
    const own = Object.entries(kinds).filter(([, is]) => is)
    return [name, [shown(value), shownText(value), ...own.map(([kind]) => kind)]]
  })
  isKept(t, Object.fromEntries(rows), 'test/core/whole-words-values.txt')
  t.end()
})

const streams: Record<string, unknown> = {
  nothing: {},
  null: null,
  undefined: undefined,
  'a text': 'a',
  'a function': Object.assign(() => fail, { pipe: fail }),
  'all three': { getReader: fail, pipe: fail, [Symbol.asyncIterator]: fail },
  'pipe and items': { pipe: fail, [Symbol.asyncIterator]: fail },
  items: { [Symbol.asyncIterator]: fail },
  'items with JSON': { toJSON: fail, [Symbol.asyncIterator]: fail },
  'items with JSON that is none': { toJSON: 1, [Symbol.asyncIterator]: fail },
  'pipe with JSON': { toJSON: fail, pipe: fail },
  'a reader with JSON': { toJSON: fail, getReader: fail },
  'fields of these names': { getReader: 1, pipe: 'a', [Symbol.asyncIterator]: true },
  'a getter that throws': Object.defineProperty({ pipe: fail }, 'getReader', { get: fail }),
  'items in turn': { [Symbol.iterator]: fail }
}
const types = [
  'application/json',
  'Application/JSON; charset=utf-8',
  'application/problem+json',
  'application/jsonp',
  'application/json5',
  'json',
  'x-json',
  'application/vnd.api+json;x=1',
  'text/json-seq',
  '',
  'multipart/form-data',
  'multipart/form-data;boundary=x',
  'Multipart/Form-Data ; boundary=x',
  'multipart/form-data\t',
  'multipart/form-data2',
  'multipart/mixed',
  ' multipart/form-data',
  'x-multipart/form-data'
]
const list = { a: 1, b: undefined, c: null, d: 0 }

t.test('streams, media types, names of methods and copies', (t) => {
  const kept = {
    streams: Object.fromEntries(Object.entries(streams).map(([name, value]) => [name, told(streamOf(value))])),
    types: forEachOf(types, (type) => `${isJSON(type)} ${isMultipart(type)}`),
    names: forEachOf(
      'a a1 A_b archive 1a _a $$typeof __v_isRef toJSON tojson toJSONs asymmetricMatch catch catches finally pipe getReader nodeType length lengths a-b a.b constructor setup teardown then all around before after error Error'.split(
        ' '
      ),
      (name) => [isCustom.test(name), isReserved(name)]
    ),
    refusal: told(nameError('then', 'a/b')),
    merged: [merge({ a: 1, b: 2 }, { b: undefined, c: 3 }), merge({}, {}), merge(list, list)].map((one) => told(one)),
    picked: told(pick(['d', 'c', 'b', 'a', 'e'], (name) => list[name as 'a']))
  }
  isKept(t, kept, 'test/core/whole-words-names.txt')
  t.end()
})

const known = ['name', 'prefix', 'strategies', 'log', 'lag']
const given = [
  'name',
  'Name',
  'nam',
  'nme',
  'nxme',
  'xxme',
  'xxxe',
  'names',
  'named2',
  'named23',
  'eman',
  'pre',
  'strategie',
  'STRATEGY',
  'lug',
  'lagg',
  'l',
  '',
  'constructor',
  '__proto__'
]
const paths = ['', '/', '//', 'a', '/a', 'a/', '//a/b//', '/a//b/', ' /a', 'users/:userId/messages', '/:a/:b', ':a']
const more = ['a:b', 'a/b:c', ':', '/:/a', ':a-b', ':a/:a', 'a/:b_c/:D1']
const segments = ['a', '', '.', '..', '...', '.a', 'a b', 'ä/€', '%', '\uD800', 'a\uDC00', '😀', 'a?b#c', "it's"]
const others = [0, false, null, ['a', 'b'], {}]

t.test('names of options, and paths', (t) => {
  const warnings: string[] = []
  const log = { warn: (message: string) => void warnings.push(message) }
  const advice = { registers: 'this one', call: 'await child.register(it)' }
  const check = (options: object) => () =>
    checkOptionNames(withoutRegister('the-plugin', options, advice, log), known, 'the-plugin has')
  const kept = {
    options: forEachOf(given, (name) => checkOptionNames(Object.fromEntries([[name, 1]]), known, 'It has')),
    'with a place': outcomeOf(() => checkOptionNames({ prefix: 1, logs: 1, strategy: 1 }, known, 'It has', 'jwt.')),
    'without any': outcomeOf(() => checkOptionNames({ a: 1 }, [], 'It has')),
    'none given': outcomeOf(() => checkOptionNames({}, known, 'It has')),
    plugin: [
      { prefix: 1, logLevel: undefined, logSerializers: 1, name: 1 },
      { prefix: 1, names: 1 },
      { logLevels: 1 },
      {}
    ].map((options) => outcomeOf(check(options))),
    warnings,
    paths: forEachOf([...paths, ...more], (path) => [stripSlashes(path), placeholdersIn(path)]),
    joined: [[], [''], ['/', '/'], ['/v1/', '/messages'], ['v1', '', 'a/'], ['a', 'b', 'c']].map((parts) =>
      joinPath(...parts)
    ),
    segments: forEachOf([...segments, ...others], (value) => encodeSegment(value, 'The id')),
    missing: outcomeOf(() => encodeSegment(undefined, 'The id')),
    filled: [
      ...[...paths, ...more].map((path) =>
        outcomeOf(() => fillPath(path, { userId: 7, a: 'x/y', b: 0, b_c: 'z', D1: true }))
      ),
      outcomeOf(() => fillPath('a/:b')),
      outcomeOf(() => fillPath('a/:b', { b: null })),
      outcomeOf(() => fillPath('a/:b', { b: '..' }, 'in the data')),
      outcomeOf(() => fillPath(':constructor', {})),
      outcomeOf(() => fillPath(':a/:b', { a: 1 }, 'of the call'))
    ]
  }
  isKept(t, kept, 'test/core/whole-words-paths.txt')
  t.end()
})

const queries: unknown[] = [
  undefined,
  {},
  { a: 1, b: null, c: [1], d: 'x' },
  { a: { $le: 1 }, b: { $ge: 2 }, c: { $eq: 3 } },
  { a: { $le: 1, $lte: 2 }, b: { $lte: 2, $ge: 3, $gte: 4 }, c: { $eq: 1, $in: [2] } },
  { a: { $eq: 1, $ne: 2 }, b: { $eq: undefined }, c: { $eq: [1] } },
  { a: { b: { $le: 1, $eq: 2 }, $not: { $ge: 1 } } },
  { a: { $le: { $ge: 1 } }, b: [{ $le: 1 }] },
  { $or: [{ a: { $le: 1 } }, { $and: [{ b: { $eq: 1 } }] }, { c: [{ $le: 1 }] }] },
  { $limit: 5, $sort: { a: { $le: 1 } }, $select: ['$le'], $le: { $le: 1 } },
  { $eq: 1, a: new Date(0) },
  {
    a: new (class Point {
      $le = 1
    })()
  }
]

t.test('operators of queries', (t) => {
  const rows = queries.map((query) => {
    const params = query === undefined ? { user: 1 } : { user: 1, query }
    const context = { params }
    const returned = commonOperators()(context as never)
    const what = context.params === params ? 'the same' : 'a copy'
    return [told(query), told(context.params), what, told(returned)]
  })
  isKept(t, rows, 'test/core/whole-words-operators.txt')
  t.end()
})
