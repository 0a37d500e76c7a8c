#!/usr/bin/env node
import { CreateError, Interrupted, readOptions, UsageError, usage } from './options.js'
import { install, managerOf, writeProject } from './project.js'

try {
  const options = await readOptions(process.argv.slice(2))
  if (options === undefined) console.log(usage)
  else await create(options)
} catch (error) {
  if (!(error instanceof CreateError || error instanceof Interrupted)) throw error
  console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : error.message)
  // 130: by Ctrl+C, as shells count it.
  process.exitCode = error instanceof Interrupted ? 130 : 1
}

async function create(options) {
  const manager = managerOf()
  const count = await writeProject(options)
  const isInstalled = options.install && (await install(options.folder, manager))
  if (options.install && !isInstalled) {
    console.error(`\nThe packages could not be installed: run ${manager} install in ${options.folder}`)
    process.exitCode = 1
  }
  const run = manager === 'bun' ? 'bun run' : manager
  const folder = /\s/.test(options.folder) ? JSON.stringify(options.folder) : options.folder
  const next = isInstalled ? '' : ` && ${manager} install`
  console.log(`
Created ${folder}: ${count} files of the template ${options.template}
Start it:  cd ${folder}${next} && ${run} start
Test it:   ${run} test`)
}
