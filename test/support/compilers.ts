import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Outcome, run } from '../package/pack.js'
import { read, root } from '../package/sources.js'

const places = {
  typescript: 'node_modules/typescript',
  'typescript-5.9': 'node_modules/typescript-5.9',
  // The README promises it. As a dependency of the project, it would take the place of `tsc`.
  'typescript-5.4': 'test/package/typescript-5.4/node_modules/typescript'
}
export type Compiler = keyof typeof places

/** The compilers that the declarations are for, by the package that each is in. */
export const compilers: readonly Compiler[] = ['typescript', 'typescript-5.9']

/** Runs a compiler over the project in a folder. The newest checks in four threads, each of which works out anew what two of them need: one alone takes half the time of the processor. */
export const compile = (compiler: Compiler, folder: string, ...options: string[]): Promise<Outcome> => {
  const tsc = join(root, places[compiler], 'bin/tsc')
  const threads = compiler === 'typescript' ? ['--singleThreaded'] : []
  return run(root, process.execPath, tsc, '-p', folder, '--pretty', 'false', ...threads, ...options)
}

/** Writes a project of one file, `<name>.ts`, and gives its folder. */
export async function createProject(name: string, text: string): Promise<string> {
  const folder = join(root, 'dist/test/types/projects', name)
  const { compilerOptions } = JSON.parse(read('test/types/programs/tsconfig.json')) as { compilerOptions: object }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.ts`), text)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
  return folder
}
