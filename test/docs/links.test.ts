import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import t from 'tap'
import { filesIn, read, root } from '../package/sources.js'
import { allPages, anchorsOf, pages, textOf } from '../support/pages.js'

// A link in a text: [words](target). An image has an exclamation mark before it, and is a file too.
const link = /\]\(([^)\s]+)\)/g

t.test('every link leads to a file, and to a heading of it', async (t) => {
  for (const page of allPages) {
    const links = [...textOf(page).matchAll(link)].map(([, target = '']) => target)
    for (const target of links.filter((target) => !/^[a-z]+:/.test(target))) {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : posix.join(posix.dirname(page), path)
      if (t.ok(existsSync(join(root, file)), `${page}: ${target}`) && anchor !== undefined)
        t.ok(file.endsWith('.md') && anchorsOf(file).includes(anchor), `${page}: ${target}`)
    }
  }
})

t.test('the anchors of headings are those of GitHub', async (t) => {
  for (const anchor of ['troubleshooting', 'appservice-is-not-a-function'])
    t.ok(anchorsOf('docs/errors.md').includes(anchor))
})

t.test('every page of the documentation is reached from the README', async (t) => {
  const linked = [...read('README.md').matchAll(link)].map(([, target = '']) => target.replace(/#.*/, ''))
  for (const page of pages.slice(1)) t.ok(linked.includes(page), page)
})

t.test('the snippets of a page are the last part of it to say where they begin', async (t) => {
  const opening = 'The app of the snippets'
  for (const page of pages) {
    const headings = [...read(page).matchAll(/^## (.+)$/gm)].map(([, title]) => title)
    if (headings.includes(opening)) t.equal(headings.at(-1), opening, page)
  }
})

// Code refers to a page by its path, and to a heading as a link does: `docs/errors.md#options`.
t.test('what the code says of pages is there', async (t) => {
  const folders = ['index.ts', 'lib', 'types', 'test', 'examples', 'bench', 'fuzz', 'soak']
  const files = folders.flatMap((folder) => (folder.endsWith('.ts') ? [folder] : filesIn([folder], '.ts')))
  const named = /(?<![\w/.])((?:docs|examples)\/[\w/-]+\.md|[A-Z]+\.md)(?:#([\w-]+))?/g
  let count = 0
  for (const file of files.filter((file) => !file.includes('node_modules')))
    for (const [all, page = '', anchor] of read(file).matchAll(named)) {
      if (!t.ok(existsSync(join(root, page)), `${file}: ${all}`) || anchor === undefined) continue
      t.ok(anchorsOf(page).includes(anchor), `${file}: ${all}`)
      count++
    }
  t.not(count, 0)
})
