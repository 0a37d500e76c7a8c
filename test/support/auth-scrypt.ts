import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { setImmediate } from 'node:timers/promises'

// Few tests are about the cost of a password: in all others a hash costs next to nothing, made and checked alike. What it was to cost is recorded.
const { scrypt, scryptSync } = crypto
let isCheap = true
const priced = (options: ScryptOptions = {}): ScryptOptions => (isCheap ? { ...options, N: 2 } : options)

/** From here on a hash costs what it should, until the function is called that this one returns. */
export function useFullCost(): () => void {
  isCheap = false
  return () => {
    isCheap = true
  }
}

/** A call of `scrypt`: how long the password was, and what it was to cost. */
export interface ScryptCall {
  readonly characters: number
  readonly cost: string
}

const calls: ScryptCall[] = []
let running = 0
let most = 0
let gate: Promise<void> | undefined

type Done = (error: Error | null, key: Buffer) => void
function record(password: string, salt: Buffer, length: number, options: ScryptOptions, done: Done): void {
  calls.push({ characters: password.length, cost: `N=${options.N},r=${options.r},p=${options.p},length=${length}` })
  most = Math.max(most, ++running)
  const end: Done = (error, key) => {
    running--
    done(error, key)
  }
  const compute = () => scrypt(password, salt, length, priced(options), end)
  if (gate === undefined) compute()
  else gate.then(compute)
}
crypto.scrypt = record as typeof scrypt
crypto.scryptSync = (password, salt, length, options) => scryptSync(password, salt, length, priced(options))
// What was imported by name before is this one, too.
syncBuiltinESMExports()

/** The calls of `scrypt` since the last look, and how many of them ran at the same time. */
export function scryptCalls(): { calls: ScryptCall[]; most: number } {
  const counted = { calls: calls.splice(0), most }
  most = 0
  return counted
}

/** Keeps hashes from ending until they are released. */
export function holdScrypt() {
  let open = () => {}
  gate = new Promise((resolve) => {
    open = resolve
  })
  const started = async () => {
    while (running === 0) await setImmediate()
  }
  const release = () => {
    gate = undefined
    open()
  }
  return { started, release }
}
