import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { run } from './pack.js'
import { read, root } from './sources.js'

const moduleOf = (name: string) => import(pathToFileURL(join(root, 'create', name)).href)
const create = (...options: string[]) => run(root, 'node', 'create/main.js', ...options)

t.test('what was asked for wrongly is said, with how to ask; nothing is asked without a terminal', async (t) => {
  const { templates } = await moduleOf('options.js')
  const names = Object.keys(templates)
  for (const [options, message] of [
    [[], 'Name the folder of the project'],
    [[''], 'Name the folder of the project'],
    [['a', 'b'], 'One folder is made, not 2'],
    [['a', '--template', 'toString'], `There is no template 'toString'. There are: ${names.join(', ')}`],
    [['a', '--typescript'], "Unknown option '--typescript'"]
  ] as const) {
    const { code, stdout, stderr } = await create(...options)
    t.equal(code, 1, message)
    t.equal(stdout, '')
    t.ok(stderr.startsWith(message), stderr)
    t.match(stderr, /Usage: npm create fastify-services <folder>/)
  }
  t.match(await create('--help'), { code: 0, stdout: /--javascript/ })
})

t.test('on a terminal it asks; answers may be pasted at once, and Ctrl+C ends it', async (t) => {
  const { readOptions, Interrupted } = await moduleOf('options.js')
  const asked = async (text: string, ...args: string[]) => {
    const [input, output] = [new PassThrough(), new PassThrough()].map((stream) =>
      Object.assign(stream, { isTTY: true })
    )
    let written = ''
    output?.on('data', (chunk) => {
      written += chunk
    })
    const options = readOptions(args, { input, output })
    input?.write(text)
    return { options: await options, output: written }
  }
  t.match(await asked('shop\n2\n'), {
    options: { folder: 'shop', template: 'api' },
    output: /3 {2}fullstack {2}the same/
  })
  t.match(await asked('shop\nfullstack\n'), { options: { folder: 'shop', template: 'fullstack' } })
  t.match(await asked('\n\n'), { options: { folder: 'my-app', template: 'minimal' } })
  t.match(await asked('shop\n', '--template', 'api'), { options: { folder: 'shop', template: 'api' } })
  t.match(await asked('', 'shop'), { options: { folder: 'shop', template: 'minimal' } })
  await t.rejects(asked('shop\n4\n'), { message: /There is no template '4'/ })
  for (const text of ['\u0003', 'shop\n\u0003'])
    t.ok((await asked(text).catch((error) => error)) instanceof Interrupted)
})

t.test('arrow keys choose a template', async (t) => {
  const { readOptions } = await moduleOf('options.js')
  const [input, output] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY: true }))
  const [up, down] = ['\u001b[A', '\u001b[B']
  const keys = [down, down, up, '\n']
  let written = ''
  output?.on('data', (chunk) => {
    written += chunk
    // Each key comes when the question is there, which each of them asks anew.
    if (String(chunk).includes('Template (')) input?.write(keys.shift() ?? '')
  })
  const options = readOptions(['--no-install'], { input, output })
  input?.write('shop\n')
  t.match(await options, { folder: 'shop', template: 'api' })
  t.match(written, '> 3  fullstack')
})

t.test('its page names all templates and options', async (t) => {
  const { templates, usage } = await moduleOf('options.js')
  const page = read('create/README.md')
  for (const name of Object.keys(templates)) t.ok(page.includes(`| \`${name}\` |`), name)
  for (const [name] of usage.matchAll(/--[\w-]+/g)) t.ok(page.includes(name), name)
})

t.test('the name of a package, by its folder', async (t) => {
  const { nameOf, managerOf } = await moduleOf('project.js')
  const names: [string, string][] = [
    ['my-app', 'my-app'],
    ['./some/My App/', 'my-app'],
    ['_Ünder', 'nder'],
    ['@me/app', 'app'],
    ['...!', 'app']
  ]
  for (const [folder, name] of names) t.equal(nameOf(folder), name, folder)
  t.equal(managerOf({}), 'npm')
  t.equal(managerOf({ npm_config_user_agent: 'bun/1.2.0' }), 'bun')
  t.equal(managerOf({ npm_config_user_agent: '__proto__/1' }), 'npm')
})

t.test('types are cut out, and all else stays', async (t) => {
  const { withoutTypes } = await moduleOf('without-types.js')
  const source = `import a, { type B, c } from 'a'
import type { D } from 'd'
import e, { type F } from 'e'
import { type G } from 'g'

// Of the interface.
interface H { a: string }

// Of the file.

// Of the type.
type I = H

declare module 'a' {
  interface J {}
}

/** Of the class. */
export class K<T> extends a<T> {
  readonly #b: string
  private c?: number = 1

  constructor(b: string, c: number | undefined = 2, ...rest: string[]) {
    super(b as string)
    this.#b = rest[0]! ?? b
  }

  // Of the method.
  async d<U>(e?: U): Promise<Map<string, U>> {
    return new Map<string, U>([['a', e as unknown as U]])
  }
}
export const f = ({ g }: { g: string }, h = { i: 1 } as const): string => (g ? \`\${h.i}\` : c satisfies string)
export type { D }
`
  t.equal(
    // The formatter leaves one empty line of several.
    withoutTypes(source, 'a.ts').replace(/\n{3,}/g, '\n\n'),
    `import a, { c } from 'a'
import e from 'e'

// Of the file.

/** Of the class. */
export class K extends a {
  #b
  c = 1

  constructor(b, c = 2, ...rest) {
    super(b)
    this.#b = rest[0] ?? b
  }

  // Of the method.
  async d(e) {
    return new Map([['a', e]])
  }
}
export const f = ({ g }, h = { i: 1 }) => (g ? \`\${h.i}\` : c)
`
  )
})
