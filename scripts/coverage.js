// Preloaded into each process of a test run: leaves what it called of the library in .tap/coverage, from where tap reports.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { isLibrary } from './library.js'

const root = new URL('../', import.meta.url)

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
process.on('exit', () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const library = result.filter(({ url }) => url.startsWith(root.href) && isLibrary(url.slice(root.href.length)))
    if (library.length === 0) return
    writeFileSync(new URL(`.tap/coverage/${randomUUID()}.json`, root), JSON.stringify({ result: library }))
  })
})
