import { mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { run } from './pack.js'
import { root } from './sources.js'

interface Manifest {
  readonly version?: string
  readonly dependencies: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}

const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))

/** Gives a project the packages that its `package.json` names, the packed one among them, and no others. Their ranges must be those of this repository. */
export async function linkPackages(t: Test, folder: string, tarball: string): Promise<void> {
  const own = await manifestIn(root)
  const { dependencies, devDependencies } = await manifestIn(folder)
  const { 'fastify-services': version, ...named } = { ...dependencies, ...devDependencies }
  t.equal(version, `^${own.version}`)
  for (const [name, range] of Object.entries(named)) t.equal(range, own.devDependencies?.[name], name)
  for (const name of Object.keys({ ...named, ...own.dependencies })) {
    const place = join(folder, 'node_modules', name)
    await mkdir(dirname(place), { recursive: true })
    await symlink(join(root, 'node_modules', name), place, 'dir')
  }
  await mkdir(join(folder, 'node_modules/.bin'))
  await symlink(join(root, 'node_modules/.bin/tsc'), join(folder, 'node_modules/.bin/tsc'))
  const unpacked = join(folder, 'node_modules/fastify-services')
  await mkdir(unpacked)
  await run(unpacked, 'tar', '-xzf', tarball, '--strip-components=1')
}
