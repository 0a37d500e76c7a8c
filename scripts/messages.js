/**
 * Lists the texts of all errors, warnings and deprecations of lib/: `npm run messages`, or `npm run messages -- lib/client`. A `${…}` stands for what is filled
 * in, a name in it for the constant or the function that gives the text.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-5.9'

const isError =
  /(Error|Request|Authenticated|Forbidden|Found|Allowed|Acceptable|Timeout|Conflict|Gone|Required|Unprocessable|Requests|Implemented|Gateway|Unavailable|TooLarge|TooLong|Type|DOMException)$/
const isWarning = /(^|\.)(warn|emitWarning|deprecate|logError)$/

const [folder = 'lib'] = process.argv.slice(2)
const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'))
let count = 0
for (const name of files.sort()) list(join(folder, name))
console.log(`${count} messages`)

function list(path) {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  // What the constants, parameters and functions of the file say.
  const texts = new Map()
  collect(file)
  visit(file)

  function collect(node) {
    const { name, initializer } = node
    const value = initializer && ts.isArrowFunction(initializer) ? initializer.body : initializer
    if (value && name && ts.isIdentifier(name) && isText(value)) texts.set(name.text, textOf(value))
    ts.forEachChild(node, collect)
  }

  function visit(node) {
    const message = messageOf(node)
    const text = texts.get(/^\$\{(\w+)(\(\))?\}$/.exec(message ?? '')?.[1]) ?? message
    if (text !== undefined) {
      count++
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      console.log(`${path}:${line + 1} ${text}`)
    }
    ts.forEachChild(node, visit)
  }
}

function isText(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
}

/** The text of a node that makes an error or a warning: `undefined` for any other. */
function messageOf(node) {
  if (ts.isNewExpression(node) && isError.test(node.expression.getText()))
    return node.arguments?.map(textOf).find(Boolean)
  if (ts.isCallExpression(node) && isWarning.test(node.expression.getText()))
    return node.arguments.map(textOf).find((text) => text?.includes(' '))
  return undefined
}

/** What an expression says: texts as they are, anything else as a hole. */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return (
      node.head.text + node.templateSpans.map(({ expression, literal }) => hole(expression) + literal.text).join('')
    )
  if (ts.isBinaryExpression(node)) return `${textOf(node.left)}${textOf(node.right)}`
  if (ts.isConditionalExpression(node))
    return [node.whenTrue, node.whenFalse].map((branch) => textOf(branch) ?? '').join(' | ')
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression)
  if (ts.isIdentifier(node) || ts.isCallExpression(node)) return hole(node)
  return undefined
}

/** A hole; with its own texts where it has some, or the name of the constant or function that gives it. */
function hole(node) {
  if (ts.isConditionalExpression(node)) return `\${${textOf(node)}}`
  const name = ts.isCallExpression(node) ? `${node.expression.getText()}()` : ts.isIdentifier(node) ? node.text : '…'
  return `\${${name}}`
}
