import { existsSync } from 'node:fs'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Outcome, run, temporaryFolder } from '../package/pack.js'
import { root } from '../package/sources.js'

const source = join(root, 'test/openapi/generators')
const modules = join(source, 'node_modules')
const quiet = ['REDOCLY_TELEMETRY=off', 'REDOCLY_SUPPRESS_UPDATE_NOTICE=true']

/** Runs a program of the generators, which have a folder and versions of their own. */
export const generator = (folder: string, name: string, ...args: string[]): Promise<Outcome> =>
  run(folder, 'env', ...quiet, process.execPath, join(modules, programs[name] as string), ...args)

const programs: Readonly<Record<string, string>> = {
  redocly: '@redocly/cli/bin/cli.js',
  'hey-api': '@hey-api/openapi-ts/bin/run.js',
  'openapi-typescript': 'openapi-typescript/bin/cli.js',
  tsc: 'typescript/bin/tsc'
}

/** Installs the generators, unless they are there in the versions of their lock file. */
export async function installGenerators(): Promise<void> {
  const lock = await readFile(join(source, 'package-lock.json'), 'utf8')
  const mark = join(modules, '.installed')
  if (existsSync(mark) && (await readFile(mark, 'utf8')) === lock) return
  const { code, stderr } = await run(source, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
  if (code !== 0) throw new Error(`npm ci failed in test/openapi/generators: ${stderr}`)
  await writeFile(mark, lock)
}

/** A folder with a document, the programs that use generated clients, and what they import. */
export async function projectOf(t: Test, document: unknown): Promise<string> {
  await installGenerators()
  const folder = await temporaryFolder(t)
  await cp(source, folder, { recursive: true, filter: (path) => !path.startsWith(modules) })
  await symlink(modules, join(folder, 'node_modules'), 'dir')
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document, null, 2))
  return folder
}
