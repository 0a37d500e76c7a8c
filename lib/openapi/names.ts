/** The segments of the path of a service. */
export const segmentsOf = (path: string) => path.split('/').filter(Boolean)

export const isPlaceholder = (segment: string) => segment.includes(':')

/** The names of the placeholders of a path, as OpenAPI writes it: `/posts/{id}`. */
export const pathParametersIn = (url: string) => [...url.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string)

/** The names of a service in a document. */
export interface ServiceNames {
  /** `Posts`: the path. Operations on many records, and what they have, are named by it. */
  readonly path: string
  /** `Post`: the `title` or the `$id` of the record's schema, else the path. Operations on a record, and its parts, are named by it. */
  readonly record: string
  /** What the record's schema calls itself, also where several do. */
  readonly title: string | undefined
  /** `blog posts`: the path, as texts have it. */
  readonly text: string
}

/** `blog-posts`, `blogPosts` → `['blog', 'posts']` */
export const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase())

/** The name, or the first one with a number behind it that will do. */
export function numbered(name: string, isGood: (name: string) => boolean): string {
  let key = name
  for (let number = 2; !isGood(key); number++) key = `${name}${number}`
  return key
}

/** `['blog', 'posts']` → `BlogPosts` */
export const toPascal = (words: readonly string[]): string =>
  words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('')

/**
 * The name that a schema gives itself: `title: 'Blog post'` → `BlogPost`, `$id: 'https://my.app/post#'` → `Post`, and so is
 * `https://my.app/post.schema.json`.
 */
export function nameOf({ title, $id }: { readonly title?: unknown; readonly $id?: unknown }): string | undefined {
  const idParts = typeof $id === 'string' ? $id.replace(/[#/]+$/, '').split(/[/#]/) : []
  for (const text of [title, idParts.at(-1)?.replace(/(\.schema)?\.json$/i, '')]) {
    // Capitals of a title stay, `API key` is `APIKey`, and accents go: names of components have none.
    const plain = typeof text === 'string' ? text.normalize('NFKD').replace(/\p{M}/gu, '') : ''
    const name = toPascal(plain.split(/[^A-Za-z\d]+/).filter(Boolean))
    if (name !== '') return toSafe(name)
  }
  return undefined
}

// A component and an operation may have no name that begins with a digit in many languages.
const toSafe = (name: string) => (/^\d/.test(name) ? `The${name}` : name)

/**
 * Names services by the last words of their paths. Where two would have the same names, further words of their paths come first:
 * `v1/posts` and `v2/posts` are `V1Posts` and `V2Posts`.
 *
 * @param services by their paths, with the schemas of their records. A name that several records give themselves is that of none of the
 *   services
 */
export function nameServices(
  services: ReadonlyMap<string, Parameters<typeof nameOf>[0]>
): ReadonlyMap<string, ServiceNames> {
  const paths = [...services.keys()]
  const depths = new Map(paths.map((path) => [path, 1]))
  const wordsAt = (path: string) => {
    const fixed = segmentsOf(path).filter((segment) => !isPlaceholder(segment))
    const words = fixed.slice(-(depths.get(path) as number)).flatMap(wordsOf)
    return words.length === 0 ? ['records'] : words
  }
  const longest = Math.max(0, ...paths.map((path) => segmentsOf(path).length))
  for (let depth = 1; depth < longest; depth++) {
    const names = paths.map((path) => toPascal(wordsAt(path)))
    for (const [index, path] of paths.entries())
      if (names.filter((name) => name === names[index]).length > 1) depths.set(path, depth + 1)
  }
  const counts = new Map<string, number>()
  const named = paths.map((path) => {
    const name = toSafe(toPascal(wordsAt(path)))
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return {
      path,
      name: count === 1 ? name : `${name}${count}`,
      title: nameOf(services.get(path) as Parameters<typeof nameOf>[0])
    }
  })
  return new Map(
    named.map(({ path, name, title }) => {
      const isShared = named.some((other) => other.path !== path && [other.name, other.title].includes(title))
      return [path, { path: name, record: isShared ? name : (title ?? name), title, text: wordsAt(path).join(' ') }]
    })
  )
}
