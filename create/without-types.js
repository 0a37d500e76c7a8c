// TypeScript → the JavaScript that a person would have written: what is a type is cut out, and all else stays, with its comments and empty lines.
import ts from 'typescript-5.9'

const { SyntaxKind: kind } = ts

const isDeclared = (node) => node.modifiers?.some((modifier) => modifier.kind === kind.DeclareKeyword)
const modifiersOfTypes = new Set([
  kind.ReadonlyKeyword,
  kind.PrivateKeyword,
  kind.ProtectedKeyword,
  kind.PublicKeyword,
  kind.AbstractKeyword,
  kind.OverrideKeyword
])

/**
 * @param {string} text of a module in TypeScript
 * @param {string} file its name: `.tsx` may have elements of JSX
 */
export function withoutTypes(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const cuts = []
  const cut = (from, to) => cuts.push([from, to])
  const cutNode = (node) => cut(node.getStart(source), node.end)
  // A statement goes with the comments that stand directly above it, and with its line.
  const cutStatement = (node) => {
    const comments = ts.getLeadingCommentRanges(text, node.pos) ?? []
    const starts = [...comments.map(({ pos }) => pos), node.getStart(source)]
    const from = starts.findLast(
      (start, index) => index === 0 || /\n\s*\n/.test(text.slice(comments[index - 1].end, start))
    )
    cut(from, text[node.end] === '\n' ? node.end + 1 : node.end)
  }
  // A type with what stands before it, such as a colon.
  const cutAfter = (before, node) => cut(before, node.end)

  function visit(node) {
    if (isType(node)) return cutStatement(node)
    if (ts.isImportDeclaration(node)) return visitImport(node)
    if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
      visit(node.expression)
      return cutAfter(node.expression.end, node.type)
    }
    if (ts.isNonNullExpression(node)) {
      visit(node.expression)
      return cut(node.expression.end, node.end)
    }
    for (const modifier of node.modifiers ?? [])
      if (modifiersOfTypes.has(modifier.kind)) cut(modifier.getStart(source), modifier.end + 1)
    if (node.typeParameters?.length) cut(node.typeParameters.pos - 1, node.typeParameters.end + 1)
    if (node.typeArguments?.length) cut(node.typeArguments.pos - 1, node.typeArguments.end + 1)
    const marks = [node.questionToken, node.exclamationToken].filter(
      (mark) => mark && !ts.isConditionalExpression(node)
    )
    for (const mark of marks) if (ts.isParameter(node) || ts.isPropertyDeclaration(node)) cutNode(mark)
    if (node.type && !ts.isTypeNode(node)) cut(text.lastIndexOf(':', node.type.getStart(source)), node.type.end)
    ts.forEachChild(node, (child) => {
      if (child !== node.type && !node.typeArguments?.includes(child) && !node.typeParameters?.includes(child))
        visit(child)
    })
  }

  function visitImport(node) {
    const bindings = node.importClause?.namedBindings
    if (!bindings || !ts.isNamedImports(bindings)) return
    const values = bindings.elements.filter((element) => !element.isTypeOnly)
    if (values.length === bindings.elements.length) return
    if (values.length === 0 && node.importClause.name) cut(node.importClause.name.end, bindings.end)
    else if (values.length === 0) cutStatement(node)
    else {
      const names = values.map((element) => element.getText(source)).join(', ')
      cuts.push([bindings.getStart(source), bindings.end, `{ ${names} }`])
    }
  }

  visit(source)
  let result = ''
  let end = 0
  for (const [from, to, words = ''] of cuts.sort(([a], [b]) => a - b)) {
    if (from < end) continue
    result += text.slice(end, from) + words
    end = to
  }
  return `${(result + text.slice(end)).trim()}\n`
}

/** What is a type alone: nothing of it runs. A property without a value declares a field. */
function isType(node) {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || isDeclared(node)) return true
  if (ts.isImportDeclaration(node)) return node.importClause?.isTypeOnly === true
  return ts.isExportDeclaration(node) && node.isTypeOnly
}
