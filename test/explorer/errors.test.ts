import { BadRequest, GeneralError, NotFound, TooManyRequests, Unavailable } from 'fastify-services'
import t from 'tap'
import { toProblem } from '../../lib/explorer/model/problem.js'

const base = 'http://api.example'
const of = (error: unknown) => toProblem(error, base)

t.test('an error says what it is, where it is, and what to do', async (t) => {
  t.strictSame(of(new NotFound('No post 7')), {
    title: '404 NotFound',
    message: 'No post 7',
    details: [],
    advice: 'It may have been removed meanwhile, or the id is another one.',
    isLogin: false,
    isPassing: false
  })
  t.match(of(Object.assign(new Error('Not authenticated'), { name: 'NotAuthenticated', code: 401 })), {
    title: '401 NotAuthenticated',
    isLogin: true,
    advice: /^Log in/
  })
  t.match(of(new GeneralError('Oops')), { advice: /its log/ })
  t.equal(of({ code: 500, message: 'Oops' }).title, '500')
  t.match(of(Object.assign(new Error('Closed'), { name: 'Closed', code: 499 })), {
    title: '499 Closed',
    advice: undefined
  })
  t.match(of(new TooManyRequests('Slow', { retryAfter: 1 })), { advice: 'Try again in 1 second.' })
  t.match(of(new Unavailable('Away', { retryAfter: 5 })), {
    title: '503 Unavailable',
    advice: 'Try again in 5 seconds.'
  })
})

t.test('what to do, by the status', async (t) => {
  const advice = (code: number) => of({ code, name: 'Any', message: 'No' }).advice
  t.strictSame([400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 501, 502].map(advice), [
    'Correct what is named here, and send it again.',
    'Log in, or log in again: the token may have expired.',
    'The user of this login may not do this.',
    'It may have been removed meanwhile, or the id is another one.',
    'The server offers no such method here.',
    'Something else has this value already: change it, and send it again.',
    'The server takes less: send a smaller one.',
    'The server takes another content type.',
    'Correct what is named here, and send it again.',
    'These are too many requests: wait a little.',
    'This is a fault of the server: its log says more.',
    'The server has no such method.',
    'This is a fault of the server: its log says more.'
  ])
  t.strictSame([418, Number.NaN, 200].map(advice), [undefined, undefined, undefined])
})

t.test('a server that is not there', async (t) => {
  const error = new Unavailable('GET http://api.example/a got no answer', undefined, { cause: new Error('refused') })
  t.match(of(error), { title: 'No answer', message: 'http://api.example could not be reached.', advice: /running/ })
})

const details = (errors: unknown) =>
  of(new BadRequest('Bad', { errors })).details.map(({ place, path, message }) => [place, path, message])

t.test('the fields that are wrong, whoever has checked them', async (t) => {
  const ajv = [
    { instancePath: '/title', message: 'is short' },
    { instancePath: '', params: { missingProperty: 'text' }, message: 'is missing' },
    { instancePath: '/1/a~1b~0/0', params: { additionalProperty: 'c' }, message: 'is not known' }
  ]
  t.strictSame(details(ajv), [
    ['title', 'title', 'is short'],
    ['text', 'text', 'is missing'],
    ['a/b~.0.c', '1.a/b~.0.c', 'is not known']
  ])
  t.strictSame(details([{ path: ['title', { key: 'de' }], message: 'is short' }]), [
    ['title.de', 'title.de', 'is short']
  ])
  t.strictSame(details({ text: 'is missing', title: ['is short', 'is dull'] }), [
    ['text', 'text', 'is missing'],
    ['title', 'title', 'is short']
  ])
})

t.test('whatever is thrown', async (t) => {
  for (const value of [undefined, null, 0, 'text', {}, [], { message: 7, name: {} }])
    t.match(of(value), {
      title: 'Not sent',
      message: 'Something went wrong',
      details: [],
      advice: undefined,
      isLogin: false
    })
  t.match(of(new TypeError('No')), { title: 'Not sent', message: 'No' })
  t.match(of({ code: 418, name: 7, message: 'Tea' }), { title: '418', message: 'Tea' })
  t.strictSame(details([null, 7, {}, { instancePath: {}, message: {} }]), [
    ['', '', 'is not right'],
    ['', '', 'is not right'],
    ['', '', 'is not right'],
    ['[object Object]', '[object Object]', 'is not right']
  ])
})
