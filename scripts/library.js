import { spawnSync } from 'node:child_process'

// What runs in a browser alone: the tests in Chromium call it, where nothing is measured.
const inBrowser = 'dist/lib/client/transports/jquery.js'
// What needs a Redis: its tests are skipped where none is installed.
const inRedis = 'dist/lib/events/redis/'
// What needs a PostgreSQL server: its tests are skipped where none is named.
const inPostgres = 'dist/lib/events/postgres/'

let hasRedis
const isRedisInstalled = () => {
  hasRedis ??= spawnSync('redis-server', ['--version']).status === 0
  return hasRedis
}

/** Whether a compiled file, named from the root of the project, is one of the library whose coverage counts. */
export const isLibrary = (file) =>
  (file.startsWith('dist/lib/') || file === 'dist/index.js') &&
  file !== inBrowser &&
  (!file.startsWith(inRedis) || isRedisInstalled()) &&
  (!file.startsWith(inPostgres) || Boolean(process.env.TEST_DATABASE_URL))
