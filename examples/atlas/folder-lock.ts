import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Creates the folder if it does not exist, and locks it for this process. PGlite would let two
 * processes write, and lose data.
 *
 * @returns a function that unlocks the folder
 * @throws {Error} if another process uses the folder
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'pid')
  const holder = readHolder(file)
  if (holder !== process.pid && isRunning(holder))
    throw new Error(
      `The data folder ${folder} is in use by process ${holder}: stop it, or set ATLAS_DATA to another folder. If it is no atlas, remove ${file}`
    )
  rmSync(file, { force: true })
  writeFileSync(file, String(process.pid), { flag: 'wx' })
  return () => rmSync(file, { force: true })
}

function readHolder(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

/** Whether a process exists: one that was killed leaves its file. */
function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
