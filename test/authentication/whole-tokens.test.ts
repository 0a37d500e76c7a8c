import t from 'tap'
import { createTokens } from '../../lib/authentication/token.js'
import { isKept } from '../support/kept.js'
import { claims, forge, secret } from '../support/tokens.js'
import { byOutcome, outcomeOf, stopClock, today } from './outcomes.js'
import { createApp, options } from './tokens-app.js'

const endOfTime = 8.64e12
const times = {
  'a text': '5',
  null: null,
  zero: 0,
  'a negative one': -1,
  'the last': endOfTime - 1,
  'after it': endOfTime,
  'the first': 1 - endOfTime,
  'before it': -endOfTime,
  now: today,
  past: today - 1,
  future: today + 1,
  parts: today + 0.5
}
const texts = {
  'a number': 5,
  null: null,
  empty: '',
  'a list': ['1'],
  long: 'x'.repeat(1024),
  'too long': 'x'.repeat(1025),
  'with a NUL': 'a\0',
  true: true,
  blank: ' '
}
const audiences = {
  another: 'x',
  empty: '',
  null: null,
  'a list': ['authentication'],
  'a list with more': ['x', 'authentication', 'y'],
  'a list of others': ['x'],
  'a list of none': [],
  longer: 'authentication2',
  'in another case': 'Authentication',
  'a number': 5
}
const rows: Record<string, unknown> = {
  ...{ undefined: undefined, null: null, 'a number': 5, 'a list': [forge()], empty: '', dots: '..', 'a text': 'x' }
}
const names = ['exp', 'iat', 'nbf', 'auth_time', 'sub', 'jti', 'sid', 'iss', 'aud']
for (const name of names) {
  const values: Record<string, unknown> = {
    undefined: undefined,
    ...(['iss', 'aud'].includes(name) ? audiences : ['sub', 'jti', 'sid'].includes(name) ? texts : times)
  }
  for (const [value, claim] of Object.entries(values))
    rows[`${name}: ${value}`] = forge(claims({ iat: today, exp: today + 100, iss: 'me', [name]: claim }))
}
const good = claims({ iat: today, exp: today + 100, iss: 'me' })
const parts = forge(good).split('.')
const more: Record<string, unknown> = {
  good: forge(good),
  'the issuer': forge({ ...good, iss: 'me' }),
  'no claims': forge({}),
  'a text for claims': forge('text'),
  'a list for claims': forge([good]),
  'null for claims': forge('null'),
  'another secret': forge(good, {}, 'x'.repeat(34)),
  'the second secret': forge(good, {}, 'y'.repeat(34)),
  'the third secret': forge(good, {}, 'z'.repeat(34)),
  'expired by another secret': forge({ ...good, exp: 1 }, {}, 'x'.repeat(34)),
  'expired by the third': forge({ ...good, exp: 1 }, {}, 'z'.repeat(34)),
  'another algorithm': forge(good, { alg: 'HS512' }, secret, 'sha512'),
  none: forge(good, { alg: 'none' }),
  'no type': forge(good, { typ: undefined }),
  critical: forge(good, { crit: ['x'] }),
  'two parts': parts.slice(0, 2).join('.'),
  'four parts': [...parts, 'x'].join('.'),
  'no signature': `${parts[0]}.${parts[1]}.`,
  padded: `${parts.join('.')}=`,
  'a blank before': ` ${parts.join('.')}`,
  'a blank behind': `${parts.join('.')} `,
  'a line behind': `${parts.join('.')}\n`,
  'signature of plain base64': `${parts[0]}.${parts[1]}.+${parts[2]?.slice(1)}`
}
for (const length of [8191, 8192, 8193]) {
  const blank = forge({ ...good, a: '' }).length
  const filled = [...Array(4).keys()].map((extra) =>
    forge({ ...good, a: 'x'.repeat(Math.floor(((length - blank) * 3) / 4) + extra - 1) })
  )
  more[`of ${length} letters`] = filled.find((token) => token.length === length)
}

t.test('tokens of all kinds', async (t) => {
  stopClock(t)
  const app = await createApp(t)
  const tokens = await createTokens(app, [secret, 'y'.repeat(34), 'z'.repeat(34)], options)
  const verify = async (token: unknown) => `good for ${String(tokens.verify(token).sub).slice(0, 9)}`
  const kept: Record<string, unknown> = { verified: await byOutcome({ ...rows, ...more }, verify) }
  const signed: Record<string, object> = {
    sub: { sub: '1' },
    more: { sub: '1', a: [1], jti: 'mine', iat: 5 },
    times: { sub: '1', exp: 5, nbf: 6 },
    others: { sub: '1', iss: 'x', aud: 'y' },
    ...{ 'the longest': { sub: '1', a: 'x'.repeat(5900) }, 'too long': { sub: '1', a: 'x'.repeat(6100) } }
  }
  for (const [name, given] of Object.entries(signed))
    kept[`signed, ${name}`] = await outcomeOf(() => ({
      ...tokens.sign(given as { sub: string }),
      lifetime: tokens.lifetime
    }))
  isKept(t, kept, 'test/authentication/whole-tokens.txt')
})
