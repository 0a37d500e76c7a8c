// Makes the templates of the examples, which are their one source: as they are, and without types. It runs before the package is packed.
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { templates } from './options.js'
import { withoutTypes } from './without-types.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'create/templates')
// What running an example leaves behind.
const left = new Set(['node_modules', 'dist', 'data', 'package-lock.json'])

// A template of several examples: files of the later ones take the place of those of the same names.
const layers = { fullstack: ['api', 'fullstack'] }

rmSync(target, { recursive: true, force: true })
for (const name of Object.keys(templates)) {
  const folder = join(target, name)
  for (const example of layers[name] ?? [name])
    cpSync(join(root, 'examples', example), folder, { recursive: true, filter: (file) => !left.has(basename(file)) })
  renameSync(join(folder, '.gitignore'), join(folder, 'gitignore'))
  for (const file of filesIn(folder, '.md')) edit(file, withoutForeignLinks)
  cpSync(folder, `${folder}-javascript`, { recursive: true })
  toJavaScript(`${folder}-javascript`)
}
cpSync(join(root, 'LICENSE'), join(root, 'create/LICENSE'))
const biome = join(root, 'node_modules/.bin/biome')
execFileSync(biome, ['format', '--write', '--vcs-enabled=false', target], { cwd: root, stdio: 'inherit' })

function filesIn(folder, extension) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith(extension)).map((name) => join(folder, name))
}

function edit(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

/** A copy has no pages of the repository beside it. */
function withoutForeignLinks(text) {
  return text.replace(/\[([^\]]+)\]\(\.\.\/[^)]+\)/g, '$1')
}

function toJavaScript(folder) {
  for (const file of [...filesIn(folder, '.ts'), ...filesIn(folder, '.tsx')]) {
    edit(file, (text) => withoutTypes(text, file).replace("'./tables.ts'", "'./tables.js'"))
    renameSync(file, file.replace(/\.ts(x?)$/, '.js$1'))
  }
  for (const file of filesIn(folder, 'tsconfig.json')) rmSync(file)
  for (const file of filesIn(folder, '.html')) edit(file, (text) => text.replaceAll('.tsx"', '.jsx"'))
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { scripts, devDependencies = {} } = manifest
  const build = withoutCompiler(scripts.build)
  const plain = (script) =>
    withoutCompiler(build === '' ? script.replace('npm run build && ', '') : script).replaceAll('dist/', '')
  const isNeeded = ([name]) => name !== 'typescript' && !name.startsWith('@types/')
  const needed = Object.entries(devDependencies).filter(isNeeded)
  const named = Object.entries(scripts).map(([name, script]) => [name, plain(script)])
  const changed = {
    ...manifest,
    scripts: Object.fromEntries(named.filter(([, script]) => script !== '')),
    devDependencies: needed.length > 0 ? Object.fromEntries(needed) : undefined
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(changed))
  for (const file of filesIn(folder, 'README.md'))
    edit(file, (text) =>
      text
        .replaceAll(/`([\w/.-]+)\.ts(x?)`/g, '`$1.js$2`')
        .replaceAll('in TypeScript on', 'in JavaScript on')
        .replace('This compiles the project and starts it.', 'This starts the project.')
        .replace(', and the types |', ' |')
        .replace('the types of the services, and the typed client', 'the client, and what it needs of the services')
    )
  // It copies all files, the migrations too.
  for (const file of filesIn(folder, 'Dockerfile')) {
    edit(file, (text) => text.replace('COPY drizzle drizzle\n', ''))
    edit(file, build === '' ? withoutBuild : withPlainFiles)
  }
}

function withoutCompiler(script = '') {
  return script.replaceAll(/\btsc(?: -p \w+)?(?: && |$)/g, '')
}

/** The image of a project that builds nothing has one stage. */
function withoutBuild(text) {
  const [, last = ''] = text.split(/\n\n(?=FROM )/)
  return last.replace('COPY --from=build /app/dist dist', 'COPY . .').replaceAll('dist/', '')
}

/** Its server is not compiled, and its page is built. */
function withPlainFiles(text) {
  return text.replace('COPY --from=build', 'COPY . .\n$&').replaceAll('"dist/', '"')
}
