import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { setImmediate } from 'node:timers/promises'

/** A call of `scrypt`: how long the password was, and what it cost. */
export interface ScryptCall {
  readonly characters: number
  readonly cost: string
}

const calls: ScryptCall[] = []
let running = 0
let most = 0

const { scrypt } = crypto
crypto.scrypt = ((
  password: string,
  salt: Buffer,
  length: number,
  options: ScryptOptions,
  done: (error: Error | null, key: Buffer) => void
) => {
  calls.push({ characters: password.length, cost: `N=${options.N},r=${options.r},p=${options.p},length=${length}` })
  most = Math.max(most, ++running)
  try {
    scrypt(password, salt, length, options, (error, key) => {
      running--
      done(error, key)
    })
  } catch (error) {
    running--
    throw error
  }
}) as typeof scrypt
// What was imported by name before is this one, too.
syncBuiltinESMExports()

/** The calls of `scrypt` since the last look, and how many of them ran at the same time. */
export function scryptCalls(): { calls: ScryptCall[]; most: number } {
  const seen = { calls: calls.splice(0), most }
  most = 0
  return seen
}

/** Waits until a call of `scrypt` is under way. */
export async function scryptStarted(): Promise<void> {
  while (running === 0) await setImmediate()
}
