import Type from 'typebox'

/** Limits of texts in records and queries. PostgreSQL can't store a NUL character. */
export const text = { pattern: '^[^\\u0000]*$', maxLength: 2000 }

/** An integer of PostgreSQL. */
export const Int = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })

// It can't end with half an escape. The limit is lower, because a search takes time for each character.
const pattern = { type: 'string', maxLength: 200, pattern: '^([^\\\\\\u0000]|\\\\[^\\u0000])*$' }

/** Operators in addition to the usual ones. */
export const operators = { $like: pattern, $ilike: pattern }
