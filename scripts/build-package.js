/**
 * Bundles what `npm run build` has compiled into the files that are published: one for each door, and
 * one for the modules of a folder that several doors share, with the declarations beside.
 *
 * `prepack` does it in place. `node scripts/build-package.js <folder>` leaves `dist/` as it is, and
 * writes the whole package to a folder.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const [, , folder] = process.argv
const target = resolve(folder ?? root)
const { browser, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const doors = Object.values(exports).filter((door) => door.types !== undefined)

/** `./dist/lib/client/index.d.ts` as `lib/client/index` */
const toName = (path) => relative(dist, resolve(root, path)).replace(/(\.d)?\.[jt]s$/, '')
const toInput = (paths) => Object.fromEntries(paths.map((path) => [toName(path), resolve(root, path)]))

/** Bundles files. @returns the text of each by its path below `dist/` */
async function bundle(paths, plugins) {
  const input = toInput(paths)
  const bundle = await rolldown({
    input,
    plugins,
    cwd: root,
    platform: 'node',
    experimental: { attachDebugInfo: 'none' },
    // Packages, and what `require` loads when it is first needed.
    external: /^[^./]|\.cjs$/,
    preserveEntrySignatures: 'allow-extension'
  })
  const groupOf = (file, chunking) => {
    const name = toName(file)
    const [, room] = (!(name in input) && /^(types|lib\/\w+)\//.exec(name)) || []
    if (room === undefined) return null
    const isOfClient = (id) =>
      toName(id).startsWith('lib/client/') || chunking.getModuleInfo(id).importers.some(isOfClient)
    // Pages load a part of two folders: bundlers can't leave out all of the rest, nor TypeScript Fastify.
    const end = /core|types/.test(room) && !isOfClient(file) ? '/server' : ''
    return `${room}${end}${/\.d(?=\.ts$)/.exec(file) ?? ''}`
  }
  const { output } = await bundle.generate({
    dir: dist,
    chunkFileNames: ({ name }) => (/^types|\//.test(name) ? '[name].js' : 'lib/[name].js'),
    // Exports keep their names, for stack traces and readers.
    minifyInternalExports: false,
    comments: { jsdoc: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'folders', name: groupOf, minShareCount: 2 }]
    }
  })
  // The types of Feathers are used where it is installed, and are `any` elsewhere.
  const withPeer = (code) => code.replace(/^import .+ from "@feathersjs\/feathers";$/m, '// @ts-ignore\n$&')
  return output.map(({ fileName, code }) => [fileName, /\.d\.ts$/.test(fileName) ? withPeer(code) : code])
}

// What bundlers of pages put in the place of modules for Node stays a file.
const scripts = [...doors.map((door) => door.default), ...Object.entries(browser).flat()]
const written = [
  ...(await bundle(scripts, [])),
  ...(await bundle(
    doors.map(({ types }) => types),
    [dts({ dtsInput: true, oxc: true, tsconfig: false, sideEffects: true })]
  )),
  ...readdirSync(join(dist, 'lib'), { recursive: true })
    .filter((name) => /\.(cjs|json)$/.test(name))
    .map((name) => [join('lib', name), readFileSync(join(dist, 'lib', name), 'utf8')])
]

if (folder !== undefined)
  for (const name of ['AGENTS.md', 'LICENSE', 'README.md', 'package.json']) cpSync(join(root, name), join(target, name))
rmSync(join(target, 'dist'), { recursive: true, force: true })
for (const [name, text] of written) {
  const file = join(target, 'dist', name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
