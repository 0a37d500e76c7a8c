import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { read, root } from '../package/sources.js'

const markdownIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`)

/** The pages for users, which have snippets. */
export const pages = ['README.md', ...markdownIn('docs/')]

/** The pages that build one product, in their order. */
export const tutorial = ['docs/tutorial.md']

const examples = readdirSync(join(root, 'examples')).flatMap((name) => markdownIn(`examples/${name}/`))

/** All pages of the repository. */
export const allPages = [...markdownIn('./').map((name) => name.slice(2)), ...markdownIn('docs/'), ...examples]

/** What a page says outside of its blocks and of code between backticks. */
export const textOf = (page: string) =>
  read(page)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/`[^`\n]+`/g, (code) => ' '.repeat(code.length))

/** The anchors of the headings of a page, as GitHub makes them. */
export function anchorsOf(page: string): string[] {
  const counts = new Map<string, number>()
  const headings = read(page)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, title = '']) => {
    const anchor = toAnchor(title)
    const times = counts.get(anchor) ?? 0
    counts.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  })
}

const toAnchor = (title: string) =>
  title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
