import { read } from '../package/sources.js'

/** A fenced block of a page. */
export interface Snippet {
  readonly language: string
  readonly text: string
  readonly line: number
  /** Why it is not run: from the comment `<!-- not run: … -->` on the line before it. */
  readonly notRun: string | undefined
}

/** A part of a page under one heading. */
export interface Section {
  /** `README.md: Hooks` */
  readonly name: string
  readonly snippets: readonly Snippet[]
}

const heading = /^#+ (.+)$/
const fence = /^```(\w*)$/
const reason = /^<!-- not run: (.+) -->$/

const isRun = ({ language, notRun }: Snippet) => language !== 'text' && notRun === undefined
const isCommand = (snippet: Snippet) => isRun(snippet) && snippet.language === 'sh'

/** Reads the fenced blocks of a page, by the heading that they stand under. Commands alone ask the program of the heading before. */
export function readSections(page: string): Section[] {
  const sections: { name: string; snippets: Snippet[] }[] = []
  for (const section of readHeadings(page)) {
    const asks = section.snippets.some(isCommand) && section.snippets.filter(isRun).every(isCommand)
    const before = sections.findLast(({ snippets }) => snippets.length > 0)
    if (asks && before !== undefined) before.snippets.push(...section.snippets)
    else sections.push({ name: section.name, snippets: [...section.snippets] })
  }
  return sections
}

function readHeadings(page: string): Section[] {
  const lines = read(page).split('\n')
  const sections: { name: string; snippets: Snippet[] }[] = []
  for (let line = 0; line < lines.length; line++) {
    const title = heading.exec(lines[line] ?? '')?.[1]
    if (title !== undefined) sections.push({ name: `${page}: ${title}`, snippets: [] })
    const language = fence.exec(lines[line] ?? '')?.[1]
    if (language === undefined) continue
    const end = lines.indexOf('```', line + 1)
    if (end === -1) throw new Error(`${page}:${line + 1}: the block has no end`)
    const text = lines.slice(line + 1, end).join('\n')
    sections.at(-1)?.snippets.push({ language, text, line: line + 1, notRun: reason.exec(lines[line - 1] ?? '')?.[1] })
    line = end
  }
  return sections
}

/** A module made of the `ts` and `js` blocks of a section, and the `sh` blocks that ask it. */
export interface Program {
  readonly file: string
  readonly text: string
  /** What it prints, a line each: the comments behind its `console.log(…)`. */
  readonly prints: readonly string[]
  /** The `sh` blocks. */
  readonly commands: readonly string[]
}

const exported = /^const (app|server|listening)\b/gm
// The test waits for it: an application that is closed while it begins to listen throws.
const listens = /^app\.listen\(/gm
const printed = /\bconsole\.log\(.*\) \/\/ (.+)$/gm
const makesApp = /^const app = /m
const isCommonJS = /\brequire\('/

/**
 * The programs of a section: a block that makes an app begins a new one, other blocks go on with what stands before them.
 * A section that makes no app begins with the lines of `opening`.
 */
export function toPrograms({ name, snippets }: Section, opening: string): Program[] {
  const groups: { language: string; blocks: string[]; commands: string[] }[] = []
  for (const { language, text } of snippets.filter(isRun)) {
    const isShell = language === 'sh'
    if (groups.length === 0 || (!isShell && makesApp.test(text))) groups.push({ language, blocks: [], commands: [] })
    groups.at(-1)?.[isShell ? 'commands' : 'blocks'].push(text)
  }
  return groups.map(({ language, blocks, commands }, index) => {
    const code = blocks.join('\n\n')
    const text = (makesApp.test(code) ? code : `${opening}\n\n${code}`).replace(listens, 'const listening = $&')
    const names = [...text.matchAll(exported)].map(([, variable]) => variable)
    const extension = language !== 'js' ? 'ts' : isCommonJS.test(code) ? 'cjs' : 'js'
    return {
      file: `${name.replace(/\W+/g, '-').toLowerCase()}-${index + 1}.${extension}`,
      // 3030 stands for a port that is free.
      text: `${text.replace(/\b3030\b/g, '0')}\n${extension === 'cjs' ? 'module.exports =' : 'export'} { ${names.join(', ')} }\n`,
      prints: [...code.matchAll(printed)].map(([, comment]) => comment as string),
      commands
    }
  })
}
