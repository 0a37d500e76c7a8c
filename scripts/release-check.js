/**
 * What a release needs, as a list with ticks: `npm run release:check`. It ends with 1 where something is missing, so that the workflow of a tag publishes nothing (RELEASING.md).
 * `TAG` is the tag that is published; without it, nothing is said of tags.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const read = (file) => readFileSync(file, 'utf8')
const json = (file) => JSON.parse(read(file))
const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const manifest = json('package.json')
const others = ['client', 'create'].map((folder) => ({ folder, ...json(`${folder}/package.json`) }))
const { version } = manifest
const { TAG } = process.env

const repository = manifest.repository?.url
const examples = readdirSync('examples').filter((name) => existsSync(`examples/${name}/package.json`))
const rangesOf = (name) =>
  Object.entries(json(`examples/${name}/package.json`).dependencies)
    .filter(([dependency]) => /^fastify-services(-client)?$/.test(dependency))
    .map(([, range]) => range)
const section = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\]`, 'm')
const size = 1_200_000
/** Builds the package in a folder of its own, and returns what npm would pack. */
const packed = () => {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  try {
    run(process.execPath, 'scripts/build-package.js', folder)
    return JSON.parse(run('npm', 'pack', folder, '--dry-run', '--json', '--ignore-scripts'))[0]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Each is what must hold, whether it does, and what to do where it does not. */
const checks = [
  [
    'the repository is named',
    () => Boolean(repository),
    'set `repository`, `homepage` and `bugs` in package.json: the address is the maintainers’ to fill in'
  ],
  [
    'its page and its issues are named',
    () => Boolean(manifest.homepage && manifest.bugs?.url),
    'set `homepage` and `bugs` in package.json'
  ],
  [
    'client/ and create/ name the same repository',
    () => Boolean(repository) && others.every((other) => other.repository?.url === repository),
    'set the same `repository` in client/package.json and create/package.json, with `"directory": "client"` or `"create"`'
  ],
  [
    'the README leads to a playground',
    () => Boolean(repository) && read('README.md').includes(`https://stackblitz.com/github/${nameOf(repository)}/`),
    'link https://stackblitz.com/github/<owner>/<name>/tree/main/examples/minimal in README.md, once the package is published'
  ],
  [
    'all packages have one version',
    () => others.every((other) => other.version === version),
    `npm version ${version} --no-git-tag-version in client/ and create/`
  ],
  [
    'the examples ask for this version',
    () => examples.flatMap(rangesOf).every((range) => range === `^${version}`),
    `set "^${version}" for our packages in examples/*/package.json`
  ],
  [
    'the changelog has a section for it',
    () => section.test(read('CHANGELOG.md')),
    `write ## [${version}] in CHANGELOG.md`
  ],
  ['the lock file is of this version', () => json('package-lock.json').version === version, 'npm install'],
  [
    'npm has nothing to correct',
    () => isLeftAlone('package.json') && others.every(({ folder }) => isLeftAlone(`${folder}/package.json`)),
    'npm pkg fix, also in client/ and create/'
  ],
  [
    'it is built',
    () => ['dist/index.js', 'dist/lib/explorer/page.json', 'client/dist/index.js'].every((file) => existsSync(file)),
    'npm run build'
  ],
  ['all doors are in the package', () => doorsAreThere(), 'npm run build, and compare `files` with `exports`'],
  [`the package is below ${size / 1e6} MB`, () => packed().unpackedSize < size, 'look at npm pack --dry-run'],
  ['what is to be published is committed', () => run('git', 'status', '--porcelain') === '', 'git status'],
  ...(TAG === undefined ? [] : [['the tag is that of the version', () => TAG === `v${version}`, `tag v${version}`]])
]

/** Whether npm would publish what is written, as it is. */
function isLeftAlone(file) {
  const { bin = {}, repository = {} } = json(file)
  const places = Object.values(bin)
  return places.every((place) => !place.startsWith('./')) && (repository.url ?? 'git+').startsWith('git+')
}

/** `git+https://github.com/owner/name.git`: `owner/name` */
function nameOf(repository) {
  return repository.replace(/^.*github\.com\/|\.git$/g, '')
}

function doorsAreThere() {
  const files = new Set(packed().files.map(({ path }) => path))
  const places = Object.values(manifest.exports).flatMap((place) =>
    typeof place === 'string' ? [place] : Object.values(place)
  )
  return places.every((place) => files.has(place.slice(2)))
}

let missing = 0
for (const [words, holds, advice] of checks) {
  const isGood = holds()
  if (!isGood) missing++
  console.log(isGood ? `✓ ${words}` : `✗ ${words}: ${advice}`)
}
console.log(missing === 0 ? `\n${version} can be released` : `\n${missing} of ${checks.length} are missing`)
process.exitCode = missing === 0 ? 0 : 1
