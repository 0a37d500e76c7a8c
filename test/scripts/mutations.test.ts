import t from 'tap'

interface Mutation {
  readonly start: number
  readonly end: number
  readonly text: string
}
interface Mutations {
  mutationsOf(code: string): Mutation[]
  plant(code: string, mutation: Mutation): string | undefined
}
const { mutationsOf, plant }: Mutations = await import(
  new URL('../../../scripts/mutants/mutations.js', import.meta.url).href
)

/** A program, and all that it becomes by one mutation. */
const rows: [code: string, mutants: string[]][] = [
  ['a === b', [';', 'a !== b']],
  ['a <= b', [';', 'a < b', 'a > b']],
  ['a in b', [';', '!(a in b)']],
  ['(a && b) || c', [';', '((a && b) && c)', '((a && b))', '(c)', '((a || b)) || c', '((a)) || c', '((b)) || c']],
  ['a ?? b', [';', '(a && b)', '(a)', '(b)']],
  ['a += b', [';', 'a -= b']],
  ['a = b', [';']],
  ['a++', [';', 'a--']],
  ['--a', [';', '++a']],
  ['!a', [';', 'a']],
  ['-a', [';', 'a']],
  ['typeof a', [';']],
  ['await a()', [';', 'a()']],
  ['a ? b : c', [';', 'true ? b : c', 'false ? b : c']],
  ['if (a) ;', ['if (true) ;', 'if (false) ;']],
  ['while (a) break', ['while (false) break', 'while (a) ;']],
  ['for (; a; ) continue', ['for (; false; ) continue', 'for (; a; ) ;']],
  ['for (;;) ;', []],
  ['function f(a = b) { return a }', ['function f(a) { return a }', 'function f(a = b) { return undefined }']],
  ['function f() { return undefined }', []],
  ['function f() { return }', []],
  ['const f = () => a', ['const f = () => undefined']],
  ['const f = () => undefined', []],
  ['const f = () => {}', []],
  ['throw a', [';']],
  ['const a = true', ['const a = false']],
  ["const a = 'b'", ["const a = ''"]],
  ["const a = ''", ["const a = 'mutant'"]],
  ['const a = 2', ['const a = 3', 'const a = 1']],
  ['const a = 0', ['const a = 1']],
  ['const a = null', []],
  ['const a = `b`', ['const a = ``']],
  ['const a = ``', []],
  [
    'const a = /^\\$[^b]+\\b$/i',
    ['\\$[^b]+\\b$/i', '^\\$[b]+\\b$/i', '^\\$[^b]\\b$/i', '^\\$[^b]+$/i', '^\\$[^b]+\\b/i', '^\\$[^b]+\\b$/'].map(
      (regex) => `const a = /${regex}`
    )
  ],
  ['const a = /^/', []],
  ['const a = [b]', ['const a = []']],
  ['const a = []', []],
  ['const a = {b, c}', ['const a = {}', 'const a = {c}', 'const a = {b}']],
  ["const a = {'b': c, ['d']: e}", ['{}', "{['d']: e}", "{'b': c}", "{'b': c, ['']: e}"].map((o) => `const a = ${o}`)],
  ['a?.b', [';', 'a.b']],
  ['a?.[b]', [';', 'a[b]']],
  ['a?.()', [';', 'a()']],
  ['a[b]()', [';']],
  ['a.some(b)', [';', 'a.every(b)']],
  ['(a, b)?.trim()', [';', '(a, b)', '(a, b).trim()']],
  ["import a from 'b'", []],
  ["export { a } from 'b'", []],
  ["export * from 'b'", []],
  ["const a = Symbol('b')", []],
  ['class A extends B { constructor() { super() } }', []]
]

for (const [code, mutants] of rows) {
  t.test(`the mutations of \`${code}\``, async (t) => {
    t.same(
      mutationsOf(code)
        .map((mutation) => plant(code, mutation))
        .sort(),
      mutants.toSorted()
    )
  })
}

t.test('what a mutation turns into no program is told', async (t) => {
  t.equal(plant('const a = 1', { start: 6, end: 7, text: '' }), undefined)
})
