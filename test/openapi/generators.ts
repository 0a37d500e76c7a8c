import { cp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Outcome, run, temporaryFolder } from '../package/pack.js'
import { root } from '../package/sources.js'
import { compile } from '../support/compilers.js'
import { installIn } from '../support/install.js'

const source = join(root, 'test/openapi/generators')
const modules = join(source, 'node_modules')
const quiet = ['REDOCLY_TELEMETRY=off', 'REDOCLY_SUPPRESS_UPDATE_NOTICE=true']

/** Runs a program of the generators, which have a folder and versions of their own. */
export const generator = (folder: string, name: string, ...args: string[]): Promise<Outcome> =>
  run(folder, 'env', ...quiet, process.execPath, join(modules, programs[name] as string), ...args)

const programs: Readonly<Record<string, string>> = {
  redocly: '@redocly/cli/bin/cli.js',
  'hey-api': '@hey-api/openapi-ts/bin/run.js',
  'openapi-typescript': 'openapi-typescript/bin/cli.js'
}

/** Installs the generators, unless they are there. */
export const installGenerators = (): Promise<void> => installIn(source)

/** Generates clients from the document of an example and compiles the programs that use them. Returns the folder of what comes of it. */
export async function compileClients(t: Test, example: string, document: unknown): Promise<string> {
  const folder = await temporaryFolder(t)
  await cp(join(source, example), folder, { recursive: true })
  for (const { code, text } of await generateIn(folder, document)) t.equal(code, 0, text)
  return join(folder, 'dist')
}

/** Generates clients from a document in a folder, and compiles them with the programs that are there. */
export async function generateIn(folder: string, document: unknown): Promise<{ code: number; text: string }[]> {
  for (const name of ['package.json', 'tsconfig.json']) await cp(join(source, name), join(folder, name))
  await symlink(modules, join(folder, 'node_modules'), 'dir')
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document))
  const fetch = ['-i', 'openapi.json', '-o', 'generated/hey-api', '-c', '@hey-api/client-fetch']
  // By default fields with a default are required, in a body too.
  const types = ['openapi.json', '-o', 'generated/openapi-typescript.ts', '--default-non-nullable', 'false']
  const outcomes = [
    await generator(folder, 'hey-api', ...fetch),
    await generator(folder, 'openapi-typescript', ...types),
    // The compiler in the folder is for the generators alone: it takes five times as long.
    await compile('typescript', folder)
  ]
  return outcomes.map(({ code, stdout, stderr }) => ({ code, text: stdout + stderr }))
}
