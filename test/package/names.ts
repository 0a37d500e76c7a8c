import ts from 'typescript-5.9'
import { read } from './sources.js'

const parse = (file: string) => ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true)

/** The texts of each list that a file writes out, in brackets or as one text that is split. */
export function writtenLists(file: string): { place: string; texts: string[] }[] {
  const source = parse(file)
  const lists: { place: string; texts: string[] }[] = []
  const visit = (node: ts.Node) => {
    const texts = ts.isArrayLiteralExpression(node)
      ? node.elements.filter(ts.isStringLiteral).map(({ text }) => text)
      : ts.isStringLiteral(node)
        ? node.text.split(' ')
        : []
    if (texts.length > 1) lists.push({ place: placeOf(source, node.getStart()), texts })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return lists
}

/** The names that a file declares outside of any function or class. */
export function topLevelNames(file: string): string[] {
  const ofStatement = (statement: ts.Statement): string[] => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
    const { name } = statement as { name?: ts.Node }
    return name !== undefined && ts.isIdentifier(name) ? [name.text] : []
  }
  return [...new Set(parse(file).statements.flatMap(ofStatement))]
}

function placeOf(source: ts.SourceFile, position: number): string {
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(position).line + 1}`
}
