// Runs the test files of TEST_FILES one after another in this process: to load tap and the library for each file takes longer than most of them.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { t } from 'tap'

const files = process.env.TEST_FILES.split(' ')

// The same function by its other name. By this one, tap would end as soon as a file is idle that has things to tear down.
t.teardown = t.after

const limit = Number(process.env.TAP_TIMEOUT) * 1000
t.setTimeout(limit * files.length)

/** Ends the process: what hangs would else hold up the next files for as long as all of them may take. */
function giveUp(file) {
  console.error(`${file} has not ended after ${limit / 1000} s`)
  process.exit(1)
}

const isIdle = () => new Promise((resolve) => (t.idle ? resolve() : t.once('idle', resolve)))

for (const file of files) {
  const timer = setTimeout(giveUp, limit, file)
  try {
    await import(pathToFileURL(resolve(file)))
  } catch (error) {
    t.fail(`${file} can't be loaded`, { error })
  }
  await isIdle()
  clearTimeout(timer)
  t.comment(`ended: ${file}`)
}
t.end()

// What a file leaves running, such as the socket of a test that has failed, would hold up all others.
setTimeout(() => {
  console.error(`The process of ${files[0]} has not ended: a test leaves something that runs`)
  process.exit(1)
}, 20_000).unref()
