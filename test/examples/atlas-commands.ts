import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { demoLogin } from '../../examples/atlas/demo-login.js'

const run = promisify(execFile)

export const hasCurl = () =>
  run('curl', ['--version']).then(
    () => true,
    () => false
  )

/** Pastes commands into a shell, and reads the answer. */
export const paste = async (...lines: string[]) => JSON.parse((await run('sh', ['-c', lines.join('\n')])).stdout)

/** The address in the commands that the process prints. */
export const addressOf = (commands: string[]) => /http:\/\/[^/]+/.exec(commands[0] ?? '')?.[0] ?? ''

/** Logs the demo user in. */
export async function demoHeaders(address: string): Promise<{ headers: Record<string, string>; id: number }> {
  const headers = { 'content-type': 'application/json' }
  const login = { method: 'POST', headers, body: JSON.stringify(demoLogin) }
  const { accessToken, user } = (await (await fetch(`${address}/authentication`, login)).json()) as {
    accessToken: string
    user: { id: number }
  }
  return { headers: { ...headers, authorization: `Bearer ${accessToken}` }, id: user.id }
}
