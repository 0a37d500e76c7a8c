export interface ServiceNames {
  /** `Posts`, from the path. It names operations on many records. */
  readonly path: string
  /** `Post`, from the `title` or `$id` of the record's schema, or else from the path. */
  readonly record: string
  /** The name that the record's schema has, even if several services have it. */
  readonly title: string | undefined
  /** `blog posts`, the path for texts. */
  readonly text: string
}

/** `blog-posts`, `blogPosts` → `['blog', 'posts']` */
export const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase())

/** Returns the name, or the first one with a number at its end that is good. */
export function numbered(name: string, isGood: (name: string) => boolean): string {
  let key = name
  for (let number = 2; !isGood(key); number++) key = `${name}${number}`
  return key
}

export function takeName(name: string, taken: Set<unknown>): string {
  const key = numbered(name, (free) => !taken.has(free))
  taken.add(key)
  return key
}

/** `['blog', 'posts']` → `BlogPosts` */
export const toPascal = (words: readonly string[]): string =>
  words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('')

/**
 * Returns the name in a schema: `title: 'Blog post'` → `BlogPost`, `$id: '/post.json'` → `Post`.
 */
export function nameOf({ title, $id }: { readonly title?: unknown; readonly $id?: unknown }): string | undefined {
  const idParts = typeof $id === 'string' ? $id.replace(/[#/]+$/, '').split(/[/#]/) : []
  for (const text of [title, idParts.at(-1)?.replace(/(\.schema)?\.json$/i, '')]) {
    // Keeps capitals (`API key` → `APIKey`). Names of components can't have accents.
    const plain = typeof text === 'string' ? text.normalize('NFKD').replace(/\p{M}/gu, '') : ''
    const name = toPascal(plain.split(/[^A-Za-z\d]+/).filter(Boolean))
    if (name !== '') return toSafe(name)
  }
  return undefined
}

// In many languages a name can't begin with a digit.
const toSafe = (name: string) => (/^\d/.test(name) ? `The${name}` : name)

/**
 * Names services by the last words of their paths, with more words where names would be equal:
 * `v1/posts` and `v2/posts` become `V1Posts` and `V2Posts`.
 *
 * @param records the schemas of the records by path. A name in several of them is ignored
 */
export function nameServices(records: ReadonlyMap<string, Parameters<typeof nameOf>[0]>): Map<string, ServiceNames> {
  const paths = [...records.keys()]
  const depths = new Map(paths.map((path) => [path, 1]))
  const wordsAt = (path: string) => {
    const fixed = path.split('/').filter((segment) => segment !== '' && !segment.includes(':'))
    const words = fixed.slice(-Number(depths.get(path))).flatMap(wordsOf)
    return words.length === 0 ? ['records'] : words
  }
  const nameAt = (path: string) => toPascal(wordsAt(path))
  const longest = Math.max(0, ...paths.map((path) => path.split('/').length))
  for (let depth = 2; depth <= longest; depth++) {
    const names = paths.map(nameAt)
    const isEqual = (_: string, index: number) => names.filter((name) => name === names[index]).length > 1
    for (const path of paths.filter(isEqual)) depths.set(path, depth)
  }
  const taken = new Set<string>()
  const named = [...records].map(([path, record]) => {
    return { path, name: takeName(toSafe(nameAt(path)), taken), title: nameOf(record) }
  })
  return new Map(
    named.map(({ path, name, title }) => {
      const isShared = named.some((other) => other.path !== path && [other.name, other.title].includes(title))
      return [path, { path: name, record: isShared ? name : (title ?? name), title, text: wordsAt(path).join(' ') }]
    })
  )
}
