// A copy of the project in which tests run on a changed library. What does not change is linked.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const copied = ['dist', 'package.json']
const left = ['.git', '.tap']
const running = new Set()

/** @returns the folder; it is removed when the process ends */
export function createSandbox() {
  const parent = join(root, '.tap/mutants')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'copy-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
  const others = readdirSync(root).filter((name) => ![...copied, ...left].includes(name))
  for (const name of others) symlinkSync(join(root, name), join(folder, name))
  return folder
}

// The processes that a test has started go with it: a mutant may keep them from ending.
function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All have ended.
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const pid of running) killGroup(pid)
    process.exit(1)
  })
}

/**
 * Runs a test file until its first failure.
 * @param limit in milliseconds; what takes longer is ended, and has failed
 */
export async function runTest(folder, file, limit, env = {}) {
  const started = performance.now()
  const child = spawn(process.execPath, ['--max-old-space-size=1024', join(folder, file)], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, TAP_BAIL: '1', TAP_TIMEOUT: String(limit / 1000), ...env }
  })
  running.add(child.pid)
  const timer = setTimeout(() => killGroup(child.pid), limit)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  killGroup(child.pid)
  running.delete(child.pid)
  return { isGood: code === 0, took: Math.round(performance.now() - started) }
}

/** Calls a function with each item, with as many at a time as there are sandboxes. */
export async function forEach(sandboxes, items, call) {
  const waiting = items.values()
  await Promise.all(
    sandboxes.map(async (folder) => {
      for (const item of waiting) await call(item, folder)
    })
  )
}
