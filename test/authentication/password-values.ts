import { scryptCalls } from '../support/auth-scrypt.js'
import { toHash } from '../support/stored-password.js'

/** What may stand where a password is expected. */
export const values: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  empty: '',
  number: 5,
  true: true,
  list: ['x'],
  object: {},
  short: 'x',
  blank: ' ',
  NUL: 'a\0b',
  long: 'p'.repeat(1024),
  'too long': 'p'.repeat(1025),
  hash: toHash('x'),
  ligature: 'ﬁ',
  letters: 'fi',
  accent: 'é',
  'two accents': 'e\u0301'
}

/** The calls of scrypt since the last look. */
export const noted = () => scryptCalls().calls.map(({ characters, cost }) => `${characters} ${cost}`)
