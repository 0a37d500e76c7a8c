import ts from 'typescript-5.9'
import { read } from './sources.js'

/** A place of a source file with what stands there. */
export interface Place {
  readonly place: string
  readonly text: string
}

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

/** The names that a file declares: variables, parameters, functions, classes, types and their members. */
export function declaredNames(file: string): Place[] {
  const source = parse(file)
  const names: Place[] = []
  const visit = (node: ts.Node) => {
    const { name } = node as { name?: ts.Node }
    if (name !== undefined && declares(node) && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)))
      names.push({ place: placeOf(source, name.getStart()), text: name.text.replace(/^#/, '') })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names
}

const declares = (node: ts.Node) =>
  [
    ts.isVariableDeclaration,
    ts.isParameter,
    ts.isBindingElement,
    ts.isFunctionDeclaration,
    ts.isClassDeclaration,
    ts.isInterfaceDeclaration,
    ts.isTypeAliasDeclaration,
    ts.isPropertySignature,
    ts.isPropertyDeclaration,
    ts.isMethodDeclaration,
    ts.isMethodSignature,
    ts.isTypeParameterDeclaration,
    ts.isGetAccessorDeclaration
  ].some((is) => is(node))

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

/** The comments of a file; lines that follow each other are one. */
export function comments(file: string): Place[] {
  const source = parse(file)
  const text = source.getFullText()
  const ranges = new Map<number, ts.CommentRange>()
  const visit = (node: ts.Node) => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) ranges.set(range.pos, range)
    for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) ranges.set(range.pos, range)
    node.getChildren(source).forEach(visit)
  }
  visit(source)
  const isContinued = ({ pos }: ts.CommentRange) => /\/\/[^\n]*\n[ \t]*$/.test(text.slice(0, pos))
  return [...ranges.values()]
    .filter((range) => !isContinued(range))
    .map(({ pos, end }) => ({ place: placeOf(source, pos), text: wordsOf(text.slice(pos, end)) }))
    .filter(({ text }) => text !== '' && !/^(@ts-|biome-ignore)/.test(text))
}

const wordsOf = (comment: string) =>
  comment
    .replace(/^\/\*+|\*+\/$|^\/\/+/g, '')
    .replace(/^[\s*]+/, '')
    .trim()

function placeOf(source: ts.SourceFile, position: number): string {
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(position).line + 1}`
}
