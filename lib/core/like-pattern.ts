/**
 * Returns the pattern of `$like` that matches texts with a word in them. `%`, `_` and `\` in the
 * word are literal: PostgreSQL, MySQL and MariaDB escape by a backslash.
 */
export const toLikePattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`
