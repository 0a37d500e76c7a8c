import { join } from 'node:path'
import { type Outcome, run } from '../package/pack.js'
import { root } from '../package/sources.js'

/** The compilers that the declarations are for, by the package that each is in. */
export const compilers = ['typescript', 'typescript-5.9']

/** Runs a compiler over the project of a folder or file. */
export const compile = (compiler: string, project: string, ...options: string[]): Promise<Outcome> =>
  run(
    root,
    process.execPath,
    join(root, 'node_modules', compiler, 'bin/tsc'),
    '-p',
    project,
    '--pretty',
    'false',
    ...options
  )
