import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

// Passwords are not what is sought: a hash at its full cost would be most of the time. To be imported before the library.
const { scrypt } = crypto
const cheap = (...[password, salt, length, options, done]: Parameters<typeof scrypt>) =>
  scrypt(password, salt, length, { ...options, N: 2 }, done)
crypto.scrypt = cheap as typeof scrypt
syncBuiltinESMExports()
