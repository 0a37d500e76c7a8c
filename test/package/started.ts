import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { paste } from '../examples/atlas-commands.js'

/** Starts a copy as its README says, and gives its address. */
export async function start(t: Test, folder: string, ...command: [string, ...string[]]) {
  const { NODE_OPTIONS: _loaders, ...env } = process.env
  const [program, ...args] = command
  const child = spawn(program, args, { cwd: folder, env: { ...env, PORT: '0' }, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  const said = text(child.stderr)
  let address: string | undefined
  for await (const line of createInterface(child.stdout)) {
    address = /http:\/\/[^/"]+:\d+/.exec(line)?.[0]
    if (address !== undefined) break
  }
  if (address === undefined) throw new Error(`${folder} has ended before it listened: ${await said}`)
  const logged = text(child.stdout)
  return {
    address: address.replace('[::1]', 'localhost'),
    child,
    /** All that it prints and logs until it ends. */
    said: async () => `${await said}${await logged}`
  }
}

/** Stops it by a signal, as a platform does. */
export async function stop(t: Test, child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  t.strictSame(await once(child, 'exit'), [0, null], 'it stops well')
}

/** Runs the commands of its README, and gives what they answer. */
export async function pasteAll(folder: string, address: string): Promise<Record<string, unknown>[]> {
  const answers: Record<string, unknown>[] = []
  const lines = readFileSync(join(folder, 'README.md'), 'utf8').match(/^curl .+/gm) ?? []
  for (const line of lines) {
    const token = answers.find(({ accessToken }) => accessToken !== undefined)?.accessToken ?? ''
    const command = line.replaceAll('localhost:3030', address).replace('curl ', 'curl -s ')
    answers.push(await paste(`TOKEN=${token}`, `cd ${folder}`, command))
  }
  return answers
}
