import Type from 'typebox'

/** A text that PostgreSQL can store: no NUL character. No column has a longer one, and no query compares with one. */
export const text = { pattern: '^[^\\u0000]*$', maxLength: 2000 }

/** The integers of PostgreSQL end here. */
export const Int = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })

// A pattern ends with no half of an escape. To look for it takes time for each character of it.
const pattern = { type: 'string', maxLength: 200, pattern: '^([^\\\\\\u0000]|\\\\[^\\u0000])*$' }

/** What the adapter knows beside the usual operators. */
export const operators = { $like: pattern, $ilike: pattern }
