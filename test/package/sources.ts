import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The text of a file of the repository. */
export const read = (file: string) => readFileSync(join(root, file), 'utf8')

export const manifest: Record<'dependencies' | 'exports' | 'peerDependencies', Record<string, string>> = JSON.parse(
  read('package.json')
)

/** The files whose names have an end in folders of the repository, relative to its root: modules of CommonJS end with `cts` and `cjs`. */
export function filesIn(folders: string[], extension: string): string[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

/** The TypeScript files that are the library. */
export const sources = ['index.ts', ...filesIn(['lib', 'types'], 'ts')]

const statement = /^(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm
const expression = /\b(?:import|require)\(\s*['"]([^'"]+)['"]\s*\)/g

/** What a file imports: packages as they are written, files of the repository as `./` and their path from its root. */
export function importsOf(file: string): string[] {
  const text = read(file)
  return [...text.matchAll(statement), ...text.matchAll(expression)]
    .map(([, from, alone]) => from ?? alone ?? '')
    .map((name) => (name.startsWith('.') ? `./${join(dirname(file), name)}` : name))
}
