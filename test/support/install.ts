import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { run } from '../package/pack.js'

// No install takes as long: a process that was killed has left it.
const longest = 300_000

/**
 * Installs what a folder with a `package.json` of its own needs, unless it is there in the versions of its lock file. Test files that need the same folder run beside each other, and two installs in one folder
 * destroy each other: one waits for the other.
 */
export async function installIn(folder: string): Promise<void> {
  const versions = await readFile(join(folder, 'package-lock.json'), 'utf8')
  const mark = join(folder, 'node_modules/.installed')
  const isInstalled = async () => existsSync(mark) && (await readFile(mark, 'utf8')) === versions
  const lock = join(tmpdir(), `install-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`)
  while (!(await isInstalled())) {
    if (!(await take(lock))) {
      await wait(500)
      continue
    }
    try {
      if (await isInstalled()) return
      const { code, stderr } = await run(folder, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
      if (code !== 0) throw new Error(`npm ci failed in ${folder}: ${stderr}`)
      await writeFile(mark, versions)
    } finally {
      await rm(lock, { recursive: true, force: true })
    }
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch {
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0
    )
    if (age > longest) await rm(lock, { recursive: true, force: true })
    return false
  }
}
