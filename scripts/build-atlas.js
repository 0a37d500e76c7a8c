// Makes the files of the page of the atlas: its script, with the client in it, its style, and the outlines of the map.
import { copyFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { createWorld } from './world.js'

const source = new URL('../examples/atlas/page/', import.meta.url)
const target = new URL('../dist/examples/atlas/page/', import.meta.url)

await build({
  entryPoints: ['main.ts', 'style.css'].map((name) => fileURLToPath(new URL(name, source))),
  outdir: fileURLToPath(target),
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome123', 'firefox120', 'safari17.5'],
  logLevel: 'warning'
})
copyFileSync(new URL('index.html', source), new URL('index.html', target))
writeFileSync(new URL('world.json', target), JSON.stringify(createWorld()))
