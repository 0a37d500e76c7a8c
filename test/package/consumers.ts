import { cp, mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { run, temporaryFolder } from './pack.js'
import { manifest, root } from './sources.js'

const consumers = join(root, 'test/package/consumer')
const installed = ['fastify', '@types/node', 'undici-types', ...Object.keys(manifest.dependencies)]

/**
 * A project that has the packed package, what that depends on, and nothing else: no types of our development dependencies. Every declaration is
 * checked but those of TypeScript itself: what contradicts them is told where it stands.
 */
export async function createConsumer(t: Test, tarball: string, ...kinds: string[]): Promise<string> {
  const folder = await temporaryFolder(t)
  const modules = join(folder, 'node_modules')
  for (const name of installed) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(modules, name), 'dir')
  }
  const unpacked = join(modules, 'fastify-services')
  await mkdir(unpacked)
  await run(unpacked, 'tar', '-xzf', tarball, '--strip-components=1')
  await cp(join(consumers, 'tsconfig.json'), join(folder, 'tsconfig.json'))
  for (const kind of kinds) await cp(join(consumers, kind), join(folder, kind), { recursive: true })
  return folder
}
