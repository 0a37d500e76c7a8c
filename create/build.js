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

rmSync(target, { recursive: true, force: true })
for (const name of Object.keys(templates)) {
  const folder = join(target, name)
  cpSync(join(root, 'examples', name), folder, { recursive: true, filter: (file) => !left.has(basename(file)) })
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
    edit(file, (text) => withoutTypes(text, file))
    renameSync(file, file.replace(/\.ts(x?)$/, '.js$1'))
  }
  rmSync(join(folder, 'tsconfig.json'), { force: true })
  edit(join(folder, 'package.json'), (text) => {
    const manifest = JSON.parse(text)
    const { typescript, '@types/node': types, ...devDependencies } = manifest.devDependencies ?? {}
    const { build, ...scripts } = manifest.scripts
    const plain = (script) => script.replace('npm run build && ', '').replaceAll('dist/', '')
    const scriptsOf = build === 'tsc' || build === undefined ? scripts : manifest.scripts
    return JSON.stringify({
      ...manifest,
      scripts: Object.fromEntries(Object.entries(scriptsOf).map(([name, script]) => [name, plain(script)])),
      devDependencies: Object.keys(devDependencies).length > 0 ? devDependencies : undefined
    })
  })
  for (const file of filesIn(folder, 'README.md'))
    edit(file, (text) =>
      text
        .replaceAll(/`([\w-]+)\.ts`/g, '`$1.js`')
        .replaceAll('in TypeScript on', 'in JavaScript on')
        .replace('That compiles it, and starts it', 'That starts it')
        .replace(', and the types |', ' |')
        .replace('their types, and the typed client', 'what the client needs to know of them, and the client')
    )
  const dockerfile = join(folder, 'Dockerfile')
  if (filesIn(folder, 'Dockerfile').length > 0) edit(dockerfile, withoutBuild)
}

/** The image of a project that compiles nothing has one stage. */
function withoutBuild(text) {
  const [, last = ''] = text.split(/\n\n(?=FROM )/)
  return last.replace('COPY --from=build /app/dist dist', 'COPY . .').replaceAll('dist/', '')
}
