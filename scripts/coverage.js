// Preloaded into each process of a test run: leaves what it called of the library in .tap/coverage, from where tap reports.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'

const root = new URL('../', import.meta.url)
// It runs in a browser: the tests in Chromium call it.
const inBrowser = new URL('dist/lib/client/transports/jquery.js', root).href
const isLibrary = ({ url }) =>
  url !== inBrowser && (url.startsWith(`${root}dist/lib/`) || url === `${root}dist/index.js`)

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
process.on('exit', () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const found = result.filter(isLibrary)
    if (found.length === 0) return
    writeFileSync(new URL(`.tap/coverage/${randomUUID()}.json`, root), JSON.stringify({ result: found }))
  })
})
