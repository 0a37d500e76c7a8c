// Makes a new project with the package of this clone, as `npm create` will with the published one: npm run try -- ../my-app [--template api]
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readOptions, usage } from '../create/options.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const options = await readOptions(process.argv.slice(2))
if (options === undefined) {
  console.log(usage)
  process.exit()
}
const project = resolve(options.folder)
const run = (cwd, program, ...args) => execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })

run(root, 'node', 'create/build.js')
const asked = [options.folder, '--template', options.template, ...(options.javascript ? ['--javascript'] : [])]
execFileSync('node', [join(root, 'create/main.js'), ...asked, '--no-install'], { stdio: 'inherit' })
const work = mkdtempSync(join(tmpdir(), 'fastify-services-'))
run(root, 'node', 'scripts/build-package.js', work)
run(work, 'npm', 'pack', '--ignore-scripts', '--pack-destination', work)
const tarball = readdirSync(work).find((name) => name.endsWith('.tgz'))
copyFileSync(join(work, tarball), join(project, tarball))
rmSync(work, { recursive: true })

const file = join(project, 'package.json')
const manifest = JSON.parse(readFileSync(file, 'utf8'))
manifest.dependencies['fastify-services'] = `file:${tarball}`
writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
if (options.install) execFileSync('npm', ['install'], { cwd: project, stdio: 'inherit' })
