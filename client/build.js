// Makes the package from the built library: the two doors of the client as bundles, one file of both for pages without a bundler, and the declarations that they need. It runs before the package is packed.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = join(root, 'dist')
const target = join(root, 'client/dist')
const doors = { index: 'lib/client/index', events: 'lib/client/events/index' }

const options = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  // Inlines constants, which bundlers of pages can't do within a bundle.
  minifySyntax: true,
  charset: 'utf8',
  absWorkingDir: root
}

rmSync(target, { recursive: true, force: true })

// Pages get a bundle of their own, without the code that only other platforms need.
for (const [platform, outdir] of [
  ['node', target],
  ['browser', join(target, 'browser')]
])
  await build({
    entryPoints: Object.fromEntries(Object.entries(doors).map(([name, door]) => [name, join(built, `${door}.js`)])),
    outdir,
    platform,
    splitting: true,
    chunkNames: '[name]-[hash]',
    ...options
  })

const ofAll = Object.values(doors).map((door) => `export * from './${door}.js'\n`)
await build({
  stdin: { contents: ofAll.join(''), resolveDir: built },
  outfile: join(target, 'page.js'),
  platform: 'browser',
  minify: true,
  ...options
})

const copied = new Set()
for (const door of Object.values(doors)) copyDeclaration(join(built, `${door}.d.ts`))
writeFileSync(join(target, 'declarations/page.d.ts'), ofAll.join(''))
cpSync(join(root, 'LICENSE'), join(root, 'client/LICENSE'))

/** Copies a file of declarations, and those that it imports. They keep their places to each other. */
function copyDeclaration(file) {
  if (copied.has(file)) return
  copied.add(file)
  const text = readFileSync(file, 'utf8')
  const copy = join(target, 'declarations', relative(built, file))
  mkdirSync(dirname(copy), { recursive: true })
  writeFileSync(
    copy,
    text
      .replace(/\bfastify-services(?=\/client|')/g, 'fastify-services-client')
      .replaceAll('fastify-services-client/client', 'fastify-services-client')
  )
  for (const [, name] of text.matchAll(/\b(?:from|import|module)\s*\(?['"](\.[^'"]+)\.js['"]/g))
    copyDeclaration(join(dirname(file), `${name}.d.ts`))
}
