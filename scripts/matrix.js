// The package with the versions that it is to work with: the unit tests on each other version of Node, and a smoke (scripts/smoke.js) of each
// version of Node with the lowest and the newest dependencies.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeOf, pack, run } from './nodes.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const versions = ['20.19.0', '22', '24', '26']
const folder = mkdtempSync(join(tmpdir(), 'matrix-'))
const failed = []

const lowest = (range) => /\d+\.\d+\.\d+/.exec(range)[0]
const newest = (range) => range
const map = (ranges, choose) => Object.fromEntries(Object.entries(ranges).map(([name, range]) => [name, choose(range)]))
const sets = {
  'the lowest of all': { ...map(peerDependencies, lowest), ...map(dependencies, lowest) },
  'the lowest Fastify, the newest of the others': { ...map(peerDependencies, lowest), ...map(dependencies, newest) },
  'the newest of all': { ...map(peerDependencies, newest), ...map(dependencies, newest) }
}

/** Installs the package beside a set of versions. @returns the folder */
async function install(name, set, tarball) {
  const project = join(folder, `project-${Object.keys(sets).indexOf(name)}`)
  mkdirSync(project)
  const manifest = { private: true, type: 'module', dependencies: { ...set, 'fastify-services': `file:${tarball}` } }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  copyFileSync(join(root, 'scripts/smoke.js'), join(project, 'smoke.js'))
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock']
  const { isGood, output } = await run(project, 'npm', 'install', ...flags)
  if (!isGood) throw new Error(output)
  return project
}

const versionIn = (project, name) =>
  JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8')).version

async function smoke(nodes) {
  const tarball = await pack(join(folder, 'fastify-services'), root, root)
  await Promise.all(
    Object.entries(sets).map(async ([name, set]) => {
      const project = await install(name, set, tarball)
      for (const node of nodes) {
        const what = `Node ${node.version}, Fastify ${versionIn(project, 'fastify')}, ${name}`
        const { isGood, output } = await run(project, node.program, 'smoke.js')
        console.log(isGood ? `Good: ${what}` : `Failed: ${what}\n${output}`)
        if (!isGood) failed.push(what)
      }
    })
  )
}

async function test({ program, version }) {
  console.log(`The unit tests on Node ${version}`)
  const child = spawn(program, ['scripts/run-tests.js', 'unit'], { cwd: root, stdio: 'inherit' })
  const [status] = await once(child, 'close')
  if (status !== 0) failed.push(`the unit tests on Node ${version}`)
}

async function testAll(nodes) {
  const [major] = process.version.split('.')
  for (const node of nodes) if (!node.version.startsWith(`${major}.`)) await test(node)
}

try {
  const nodes = (await Promise.all(versions.map((version) => nodeOf(folder, version)))).filter(Boolean)
  // The smoke waits for the registry while the tests compute.
  for (const { reason } of await Promise.allSettled([smoke(nodes), testAll(nodes)]))
    if (reason !== undefined) throw reason
} catch (error) {
  console.error(error)
  failed.push(error.message)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(failed.length === 0 ? 'Matrix: all good' : `Matrix: ${failed.length} failed`)
process.exitCode = failed.length === 0 ? 0 : 1
