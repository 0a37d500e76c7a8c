import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { root } from './sources.js'

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

const execute = promisify(execFile)

/** Runs a program to its end, whatever its exit code, without the loaders that tap hands to child processes. */
export async function run(cwd: string, program: string, ...args: string[]): Promise<Outcome> {
  try {
    return { code: 0, ...(await execute('env', ['-u', 'NODE_OPTIONS', 'NO_COLOR=1', program, ...args], { cwd })) }
  } catch (error) {
    const { code, stdout = '', stderr = String(error) } = error as Partial<Outcome>
    return { code: Number(code) || 1, stdout, stderr }
  }
}

/** A program of one of the installed packages. */
export const bin = (name: string) => join(root, 'node_modules/.bin', name)

/** A folder outside the repository, so that nothing is found in the repository's `node_modules` by accident. */
export async function temporaryFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fastify-services-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Packs what is built already as `npm publish` would, and returns the path of the tarball. */
export async function pack(folder: string, source?: string): Promise<string> {
  // The package is built in a folder of its own, because the tests run from `dist/`.
  const built = source ?? join(folder, 'package')
  if (source === undefined) await run(root, 'node', 'scripts/build-package.js', built)
  const { stderr } = await run(built, 'npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder)
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error(`npm pack left no tarball: ${stderr}`)
  return join(folder, tarball)
}
