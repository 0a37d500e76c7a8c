// What was asked for: the arguments, and questions where there is a terminal and something is missing.
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'

/** The templates by name, with what they are. The first is the default. */
export const templates = {
  minimal: 'one service in memory, in TypeScript',
  api: 'users, roles and organisations, in TypeScript on PostgreSQL',
  fullstack: 'the same, with a page in React whose lists are live'
}

export const usage = `Usage: npm create fastify-services <folder> [-- options]

  --template <name>  ${Object.entries(templates)
    .map(([name, words]) => `${name}: ${words}`)
    .join('\n                     ')}
  --javascript       the template without types
  --no-install       installs nothing
`

/** An error that is the caller's: its message is all there is to say. */
export class UsageError extends Error {}

/**
 * Reads the arguments, and asks for what is missing on a terminal.
 * @returns {Promise<{ folder: string, template: string, javascript: boolean, install: boolean } | undefined>} `undefined` where help was asked for
 * @throws {UsageError} for arguments that mean nothing
 */
export async function readOptions(args, { input = process.stdin, output = process.stdout } = {}) {
  const { values, positionals } = parse(args)
  if (values.help) return undefined
  if (positionals.length > 1) throw new UsageError(`One folder is made, not ${positionals.length}`)
  const isTerminal = Boolean(input.isTTY && output.isTTY)
  const [folder = isTerminal ? await ask('Folder', 'my-app', { input, output }) : undefined] = positionals
  if (folder === undefined || folder.trim() === '') throw new UsageError('Name the folder of the project')
  const [standard = ''] = Object.keys(templates)
  const isAsked = isTerminal && values.template === undefined && positionals.length === 0
  const names = Object.keys(templates).join(', ')
  const template =
    values.template ?? (isAsked ? await ask(`Template (${names})`, standard, { input, output }) : standard)
  if (!Object.hasOwn(templates, template))
    throw new UsageError(`There is no template '${template}'. There are: ${names}`)
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

async function ask(question, standard, streams) {
  const terminal = createInterface(streams)
  const answer = await terminal.question(`${question} [${standard}]: `)
  terminal.close()
  return answer.trim() || standard
}
