import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../package/pack.js'

/** Installs what a folder with a `package.json` of its own needs, unless it is there in the versions of its lock file. */
export async function installIn(folder: string): Promise<void> {
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8')
  const mark = join(folder, 'node_modules/.installed')
  if (existsSync(mark) && (await readFile(mark, 'utf8')) === lock) return
  const { code, stderr } = await run(folder, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
  if (code !== 0) throw new Error(`npm ci failed in ${folder}: ${stderr}`)
  await writeFile(mark, lock)
}
