// The options of a new project: from the arguments, or from questions on a terminal.
import { createInterface } from 'node:readline'
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
  const terminal = createInterface(streams)
  // Two answers that are pasted at once are two lines, before the second question.
  const lines = terminal[Symbol.asyncIterator]()
  let isOpen = true
  terminal.once('close', () => {
    isOpen = false
  })
  const ask = async (question, standard) => {
    terminal.setPrompt(`${question} [${standard}]: `)
    if (isOpen) terminal.prompt()
    const { value, done } = await lines.next()
    if (done) throw new Interrupted()
    return value.trim() || standard
  }
  try {
    const folder = await ask('Folder', 'my-app')
    if (template !== undefined) return { folder, template }
    streams.output.write(`\n${names.map((name, index) => `  ${index + 1}  ${row(name)}\n`).join('')}\n`)
    const answer = await ask('Template', names[0])
    return { folder, template: names[answer - 1] ?? answer }
  } finally {
    terminal.close()
  }
}
