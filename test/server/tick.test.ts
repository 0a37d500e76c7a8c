import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const child = fileURLToPath(new URL('../support/tick-child.js', import.meta.url))

async function run(...imported: string[]) {
  const flags = ['--expose-gc', '--allow-natives-syntax']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, child, ...imported])
  return JSON.parse(stdout)
}

t.test(
  'a full collection leaves one object of `process.nextTick`, so that later ones are of its hidden class',
  async (t) => {
    t.strictSame(await run('fastify-services'), { areThere: true, left: [true] })
  }
)

t.test('without the package it leaves none', async (t) => {
  t.strictSame(await run(), { areThere: true, left: [] })
})
