import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import { temporaryFolder } from '../package/pack.js'

const server = ['/usr/sbin/mariadbd', '/usr/local/sbin/mariadbd', '/usr/bin/mariadbd'].find(existsSync)

/** Why there is no server, or `false`. */
export const noMariadb = server === undefined && 'No MariaDB: apt-get install mariadb-server'

/** Starts an empty MariaDB server, and returns the path of its socket. It ends with the test. */
export async function startMariadb(t: Test): Promise<string> {
  const folder = await temporaryFolder(t)
  const [data, socket] = [join(folder, 'data'), join(folder, 'socket')]
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  execFileSync('mariadb-install-db', [`--datadir=${data}`, '--auth-root-authentication-method=normal', ...user], {
    stdio: 'ignore'
  })
  const child = spawn(server as string, [`--datadir=${data}`, `--socket=${socket}`, '--skip-networking', ...user], {
    stdio: 'ignore'
  })
  t.teardown(() => stop(child))
  while (!existsSync(socket)) {
    if (child.exitCode !== null) throw new Error(`mariadbd ended with ${child.exitCode}`)
    await setTimeout(100)
  }
  return socket
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill()
  if (child.exitCode === null) await once(child, 'exit')
}
