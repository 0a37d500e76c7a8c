import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { filesIn, root } from './sources.js'

// Coverage knows only the files that were loaded: here are all of them, so that one that no test needs lowers the figure.
t.test('every file of the library can be loaded by itself', async (t) => {
  for (const file of filesIn(['dist/lib'], '.js')) {
    await t.resolves(import(pathToFileURL(join(root, file)).href), file)
  }
})
