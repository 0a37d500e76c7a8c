import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Outcome, run } from '../package/pack.js'
import { read, root } from '../package/sources.js'

/** The compilers that the declarations are for, by the package that each is in. */
export const compilers = ['typescript', 'typescript-5.9']

/** Runs a compiler over the project in a folder. */
export const compile = (compiler: string, folder: string, ...options: string[]): Promise<Outcome> =>
  run(
    root,
    process.execPath,
    join(root, 'node_modules', compiler, 'bin/tsc'),
    '-p',
    folder,
    '--pretty',
    'false',
    ...options
  )

/** Writes a project of one file, `<name>.ts`, and gives its folder. */
export async function createProject(name: string, text: string): Promise<string> {
  const folder = join(root, 'dist/test/types/projects', name)
  const { compilerOptions } = JSON.parse(read('test/types/programs/tsconfig.json')) as { compilerOptions: object }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.ts`), text)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
  return folder
}
