// node bench/upstream/routes.js [routes]: the CPU time that an application of Fastify with so many routes, and nothing else, takes to get ready.
// Beside it, what it takes where avvio removes the listeners of `preReady` at once, as avvio-pre-ready.patch has it.
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const [, , count, kind] = process.argv
const require = createRequire(import.meta.url)

if (kind === undefined) {
  const counts = count === undefined ? [5000, 10_000, 20_000, 40_000] : [Number(count)]
  for (const routes of counts) {
    const secondsOf = (kind) =>
      execFileSync(process.execPath, [fileURLToPath(import.meta.url), `${routes}`, kind], { encoding: 'utf8' }).trim()
    console.log(`${routes} routes: ${secondsOf('as it is')} s, patched ${secondsOf('patched')} s`)
  }
} else {
  if (kind === 'patched') {
    const { prototype } = createRequire(require.resolve('fastify'))('avvio')
    const { emit } = prototype
    prototype.emit = function (name, ...values) {
      if (name !== 'preReady') return emit.call(this, name, ...values)
      const listeners = this.rawListeners(name)
      this.removeAllListeners(name)
      for (const listener of listeners) listener.apply(this, values)
      return listeners.length > 0
    }
  }
  const app = require('fastify')({ exposeHeadRoutes: false })
  for (let i = 0; i < Number(count); i++) app.get(`/things-${i}`, async () => i)
  const before = process.cpuUsage()
  await app.ready()
  const { user, system } = process.cpuUsage(before)
  console.log(((user + system) / 1e6).toFixed(2))
}
