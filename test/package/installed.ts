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

/**
 * Gives a project the packages that its `package.json` names, the packed one among them, and no others. Their ranges must be those of this repository.
 * @param extra a folder with a `package.json` of its own, for packages that the repository itself does not have
 */
export async function linkPackages(t: Test, folder: string, tarball: string, extra?: string): Promise<void> {
  const manifest = await manifestIn(root)
  const others = extra === undefined ? undefined : await manifestIn(extra)
  const { dependencies, devDependencies } = await manifestIn(folder)
  const all = { ...dependencies, ...devDependencies }
  const { 'fastify-services': version, 'fastify-services-client': clientVersion = version, ...named } = all
  t.same([version, clientVersion], [`^${manifest.version}`, `^${manifest.version}`])
  const ranges = { ...manifest.devDependencies, ...others?.devDependencies }
  for (const [name, range] of Object.entries(named)) t.equal(range, ranges[name], name)
  const sourceOf = (name: string) => (name in Object(others?.devDependencies) && extra !== undefined ? extra : root)
  for (const name of Object.keys({ ...named, ...manifest.dependencies })) {
    const place = join(folder, 'node_modules', name)
    await mkdir(dirname(place), { recursive: true })
    await symlink(join(sourceOf(name), 'node_modules', name), place, 'dir')
  }
  await mkdir(join(folder, 'node_modules/.bin'))
  for (const [name, source] of [['tsc', root], ...(extra === undefined ? [] : [['vite', extra]])] as [string, string][])
    await symlink(join(source, 'node_modules/.bin', name), join(folder, 'node_modules/.bin', name))
  const unpacked = join(folder, 'node_modules/fastify-services')
  await mkdir(unpacked)
  await run(unpacked, 'tar', '-xzf', tarball, '--strip-components=1')
  if ('fastify-services-client' in all)
    await symlink(join(root, 'client'), join(folder, 'node_modules/fastify-services-client'), 'dir')
}
