import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript-5.9'
import { manifest, root } from './sources.js'

const entries = Object.values(manifest.exports as unknown as Record<string, { types?: string }>)
  .flatMap(({ types }) => types ?? [])
  .map((file) => join(root, file))
const program = ts.createProgram(entries, {
  ...{ module: ts.ModuleKind.NodeNext, skipLibCheck: true },
  types: ['node']
})
const checker = program.getTypeChecker()

/** The exports of all entry points, with a name for messages. */
const exported = entries.flatMap((file) => {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  return module === undefined
    ? []
    : checker.getExportsOfModule(module).map((symbol) => {
        const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
        const of = target.declarations?.[0]?.getSourceFile().fileName ?? ''
        return {
          name: `${file.slice(root.length)}: ${symbol.name}`,
          symbol: target,
          isOurs: of.startsWith(join(root, 'dist'))
        }
      })
})
const ours = exported.filter(({ isOurs }) => isOurs)

t.test('every export has a doc comment', async (t) => {
  t.ok(ours.length > 300, `${ours.length} exports`)
  t.same(
    ours.filter(({ symbol }) => symbol.getDocumentationComment(checker).length === 0).map(({ name }) => name),
    []
  )
})

t.test('every exported function, class and constant has an example', async (t) => {
  const values = ours.filter(({ symbol }) => symbol.flags & ts.SymbolFlags.Value)
  t.ok(values.length > 80, `${values.length} values`)
  t.same(
    values
      .filter(({ symbol }) => !symbol.getJsDocTags(checker).some(({ name }) => name === 'example'))
      .map(({ name }) => name),
    []
  )
})
