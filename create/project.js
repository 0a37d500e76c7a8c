// The folder of a new project, from a template.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CreateError } from './options.js'

const templateFolder = fileURLToPath(new URL('templates', import.meta.url))

/** The name of a package, by the folder that it is in. */
export const nameOf = (folder) =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[-._]+|-+$/g, '') || 'app'

/**
 * Writes the files of a template.
 * @returns how many files there are
 * @throws {CreateError} if the folder has files already: nothing is overwritten
 */
export async function writeProject({ folder, template, javascript }) {
  await mkdir(folder, { recursive: true }).catch((error) => {
    throw new CreateError(`The folder ${folder} can't be made: ${error.message}`)
  })
  const present = (await readdir(folder)).filter((name) => name !== '.git')
  if (present.length > 0) {
    const more = present.length > 1 ? ` and ${present.length - 1} more` : ''
    throw new CreateError(`The folder ${folder} is not empty: it has ${present[0]}${more}`)
  }
  const source = join(templateFolder, javascript ? `${template}-javascript` : template)
  // A package can't hold a file of that name: npm would take it for its own.
  for (const name of await readdir(source))
    await cp(join(source, name), join(folder, name === 'gitignore' ? '.gitignore' : name), { recursive: true })
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, `${JSON.stringify({ ...manifest, name: nameOf(folder) }, null, 2)}\n`)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

const managers = ['npm', 'pnpm', 'yarn', 'bun']

/** The package manager that has called this program. */
export function managerOf({ npm_config_user_agent: agent = '' } = process.env) {
  const name = agent.split('/')[0] ?? ''
  return managers.includes(name) ? name : 'npm'
}

/** Installs the packages of a project. @returns whether that succeeded */
export async function install(folder, manager) {
  // On Windows, package managers are scripts, which need a shell.
  const child = spawn(manager, ['install'], { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })
  const [code] = await once(child, 'exit').catch(() => [1])
  return code === 0
}
