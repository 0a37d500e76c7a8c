import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from './start-error.js'

/**
 * Makes the folder if need be, and keeps other processes out of it: PGlite would let them in, and what one of them writes is lost.
 *
 * @returns what releases the folder
 * @throws {StartError} when it can't be written to, or another process has it
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'pid')
  try {
    if (!existsSync(folder)) mkdirSync(folder)
    const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    if (isOther(holder)) {
      throw new StartError(
        `The data folder ${folder} is in use by process ${holder}: stop that one, or set ATLAS_DATA to another folder. If it is no atlas, remove ${file}`
      )
    }
    rmSync(file, { force: true })
    writeFileSync(file, String(process.pid), { flag: 'wx' })
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(`Can't write to the data folder ${folder}`, error)
  }
  return () => rmSync(file, { force: true })
}

/** Whether another process of that id is running: one that was killed has left its file behind. */
function isOther(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
