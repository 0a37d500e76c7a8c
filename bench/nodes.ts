import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface NodeBinary {
  readonly program: string
  readonly version: string
}

interface Script {
  nodeOf(folder: string, version: string): Promise<NodeBinary | undefined>
}

/** The programs of these versions: this one where its major version is named, others from the registry where they can be had. */
export async function findNodes(versions: readonly string[]): Promise<NodeBinary[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-node-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Not compiled: a script.
  const { nodeOf }: Script = await import(new URL('../../scripts/nodes.js', import.meta.url).href)
  const running = process.versions.node
  const programs = versions.map((version) =>
    running === version || running.startsWith(`${version}.`)
      ? { program: process.execPath, version: running }
      : nodeOf(folder, version)
  )
  const nodes = (await Promise.all(programs)).filter((node) => node !== undefined)
  return nodes.map(({ program, version }) => ({ program, version: version.replace(/^v/, '') }))
}
