import t from 'tap'
import { toSeconds } from '../../lib/authentication/duration.js'

const good: [value: string | number, seconds: number][] = [
  [1, 1],
  [60, 60],
  [1.9, 1],
  [86_400, 86_400],
  ['1s', 1],
  ['90s', 90],
  ['15m', 900],
  ['15 minutes', 900],
  ['12h', 43_200],
  ['1.5h', 5400],
  ['1d', 86_400],
  ['30d', 2_592_000],
  ['2w', 1_209_600],
  ['1500ms', 1],
  [4.32e12, 4.32e12]
]

t.test('a span of time in seconds', async (t) => {
  for (const [value, seconds] of good) t.equal(toSeconds(value, 'jwt.expiresIn'), seconds, `${value}`)
})

const bad = [
  ...[
    0,
    -1,
    0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    ' ',
    '0',
    '15',
    '0s',
    '-1d',
    '999ms',
    'soon',
    '1 fortnight'
  ],
  ...[4.33e12, 8.64e12, '200000y'],
  ...['1d1h', '١d', '1e3', undefined, null, true, {}, [], [60], new Date(), () => 1]
]

t.test('what is no span of a second or more: an error that names the option', async (t) => {
  for (const value of bad)
    t.throws(
      () => toSeconds(value as string, 'refresh.expiresIn'),
      /^The option refresh\.expiresIn is a number of seconds, or a string such as '15m' or '1d', not /,
      String(value)
    )
})
