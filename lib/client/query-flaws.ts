// How a query string fails to express a value, as bits. Bundlers inline the constants of a file
// that has nothing else.

/** JSON can't express the value either. */
export const unsendable = 1
/** The value vanishes. */
export const vanishing = 2
/** The value vanishes, since it is `undefined`. */
export const leftOut = 4
/**
 * The value vanishes, and the query selects the same without: `{ $nin: [] }` and `{ $sort: {} }`.
 */
export const idle = 8
/** Servers read something that may select more. */
export const misread = 16
/** Servers read an empty text. */
export const blank = 32

/** How long a URL may be, in characters, before a body is better. */
export const longestURL = 2000
