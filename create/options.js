// The options of a new project: from the arguments, or from questions on a terminal.
import { clearScreenDown, createInterface, moveCursor } from 'node:readline'
import { parseArgs } from 'node:util'

/** The templates by name, with a description. The first is the default. */
export const templates = {
  minimal: 'one service in memory, in TypeScript',
  api: 'users, roles and organisations, in TypeScript on PostgreSQL',
  fullstack: 'the same, with a page in React whose lists are live'
}

const names = Object.keys(templates)
const row = (name) => `${name.padEnd(9)}  ${templates[name]}`

export const usage = `Usage: npm create fastify-services <folder> [-- options]

  --template <name>  ${names.map(row).join('\n                     ')}
  --javascript       the template without types
  --no-install       installs nothing
`

/** An error of the caller: the message says all. */
export class CreateError extends Error {}

/** An error in the arguments: the usage helps. */
export class UsageError extends CreateError {}

/** Ctrl+C or the end of the input at a question. */
export class Interrupted extends Error {}

/**
 * Reads the arguments, and asks for missing ones on a terminal.
 * @returns {Promise<{ folder: string, template: string, javascript: boolean, install: boolean } | undefined>} `undefined` if help was asked for
 * @throws {UsageError} if the arguments are wrong
 * @throws {Interrupted} if the user ends the questions
 */
export async function readOptions(args, { input = process.stdin, output = process.stdout } = {}) {
  const { values, positionals } = parse(args)
  if (values.help) return undefined
  if (positionals.length > 1) throw new UsageError(`One folder is made, not ${positionals.length}`)
  const isTerminal = Boolean(input.isTTY && output.isTTY)
  const { folder, template } =
    positionals.length === 0 && isTerminal
      ? await askAll(values.template, { input, output })
      : { folder: positionals[0], template: values.template ?? names[0] }
  if (folder === undefined || folder.trim() === '') throw new UsageError('Name the folder of the project')
  if (!names.includes(template))
    throw new UsageError(`There is no template '${template}'. There are: ${names.join(', ')}`)
  return { folder: folder.trim(), template, javascript: values.javascript, install: !values['no-install'] }
}

function parse(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't' },
        javascript: { type: 'boolean', default: false },
        'no-install': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false }
      }
    })
  } catch (error) {
    throw new UsageError(error.message)
  }
}

/** Asks for the folder, and for the template unless it is named already. */
async function askAll(template, streams) {
  // Without a history, the arrow keys are free to choose a template.
  const terminal = createInterface({ ...streams, historySize: 0 })
  // Two answers that are pasted at once are two lines, before the second question.
  const lines = terminal[Symbol.asyncIterator]()
  let isOpen = true
  terminal.once('close', () => {
    isOpen = false
  })
  const ask = async (question) => {
    terminal.setPrompt(question)
    if (isOpen) terminal.prompt()
    const { value, done } = await lines.next()
    if (done) throw new Interrupted()
    return value.trim()
  }
  try {
    const folder = (await ask('Folder [my-app]: ')) || 'my-app'
    return { folder, template: template ?? (await askForTemplate(ask, terminal, streams)) }
  } finally {
    terminal.close()
  }
}

/** Shows the templates. The arrow keys move the mark, and a number or a name is an answer too. */
async function askForTemplate(ask, terminal, { input, output }) {
  let marked = 0
  const show = () => {
    const rows = names.map((name, index) => `${index === marked ? '>' : ' '} ${index + 1}  ${row(name)}\n`)
    output.write(`\n${rows.join('')}\n`)
  }
  const move = (_text, { name }) => {
    const step = { up: names.length - 1, down: 1 }[name]
    if (step === undefined) return
    marked = (marked + step) % names.length
    moveCursor(output, -terminal.getCursorPos().cols, -names.length - 2)
    clearScreenDown(output)
    show()
    terminal.prompt(true)
  }
  show()
  input.on('keypress', move)
  try {
    const answer = await ask('Template (arrow keys, a number or a name): ')
    return answer === '' ? names[marked] : (names[answer - 1] ?? answer)
  } finally {
    input.off('keypress', move)
  }
}
