// For programs that read: each page as it was written, beside its HTML, and llms.txt, which lists them with what each is for.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Pages about the project itself: users don't search for them. */
export const internal = new Set(['AGENTS.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'RELEASING.md'])

/** Writes the pages and their list into the folder of the site. */
export function writePlainPages({ pages, rewrites, srcDir, outDir, site }) {
  const rows = pages.map((page) => {
    const text = readFileSync(join(srcDir, page), 'utf8')
    const place = rewrites.map[page] ?? page
    mkdirSync(dirname(join(outDir, place)), { recursive: true })
    writeFileSync(join(outDir, place), text)
    const [, title = page] = /^# (.+)$/m.exec(text) ?? []
    return { page, row: `- [${title}](${site.base}${place}): ${firstSentence(text)}` }
  })
  const of = (isWanted) => rows.filter(({ page }) => isWanted(page)).map(({ row }) => row)
  const isGuide = (page) => page === 'README.md' || (page.startsWith('docs/') && !internal.has(page))
  const parts = [
    `# fastify-services\n\n> ${site.description}`,
    `## Pages\n\n${of(isGuide).join('\n')}`,
    `## Examples\n\n${of((page) => page.startsWith('examples/')).join('\n')}`,
    `## Optional\n\n${of((page) => !isGuide(page) && !page.startsWith('examples/')).join('\n')}`
  ]
  writeFileSync(join(outDir, 'llms.txt'), `${parts.join('\n\n')}\n`)
}

/** The first sentence below the heading, without links. */
function firstSentence(text) {
  const paragraphs = text.replace(/^---\n[\s\S]*?\n---\n/, '').split(/\n\n+/)
  const paragraph = paragraphs.find((part) => /^[A-Z`[*]/.test(part)) ?? ''
  const plain = paragraph.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('\n', ' ')
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
