#!/usr/bin/env node
import { readOptions, UsageError, usage } from './options.js'
import { install, managerOf, writeProject } from './project.js'

try {
  const options = await readOptions(process.argv.slice(2))
  if (options === undefined) console.log(usage)
  else await create(options)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n\n${usage}`)
  process.exitCode = 1
}

async function create(options) {
  const manager = managerOf()
  await writeProject(options)
  const isInstalled = options.install && (await install(options.folder, manager))
  if (options.install && !isInstalled) {
    console.error(`\nThe packages could not be installed: run ${manager} install in ${options.folder}`)
    process.exitCode = 1
  }
  const run = manager === 'bun' ? 'bun run' : manager
  const folder = /\s/.test(options.folder) ? JSON.stringify(options.folder) : options.folder
  console.log(`\nNext:\n\n  cd ${folder}${isInstalled ? '' : ` && ${manager} install`}\n  ${run} start\n  ${run} test`)
}
