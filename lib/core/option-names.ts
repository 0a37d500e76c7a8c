/**
 * Refuses options that do not exist: they are misspelt or belong to another library, and would be ignored.
 *
 * @param has who has the options, as in `'Authentication has'`
 * @param place what stands before their names: `'jwt.'`
 * @throws when there is one; the message suggests the name that was probably meant
 */
export function checkOptionNames(options: object, known: readonly string[], has: string, place = ''): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const likely = likelyName(name, known)
    const hint = likely === undefined ? '' : `. Did you mean '${place}${likely}'?`
    throw new Error(
      `${has} no option '${place}${name}'. There are: ${known.map((one) => place + one).join(', ')}${hint}`
    )
  }
}

/** The name that was meant by one that is misspelt, if there is one like it. */
export function likelyName(name: string, known: readonly string[]): string | undefined {
  const [likely] = known
    .map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ distance }) => distance <= 2)
    .sort((a, b) => a.distance - b.distance)
  return likely?.one
}

/** A plugin that decorates the instance around it, in the words of its warnings. */
interface DecoratingPlugin {
  readonly name: string
  /** What another plugin registers with an effect, and how. */
  readonly registers: string
  readonly call: string
}

// By `@fastify/autoload` too.
const ofRegister = ['prefix', 'logLevel', 'logSerializers']

/**
 * Checks the options of such a plugin. Fastify takes some of every plugin, and applies them to none of this kind: the log is warned of them.
 * @throws as `checkOptionNames` does
 */
export function checkPluginOptionNames(
  options: object,
  known: readonly string[],
  { name, registers, call }: DecoratingPlugin,
  log: { warn(message: string): void }
): void {
  for (const option of ofRegister.filter((one) => one in options))
    log.warn(
      `The option \`${option}\` of ${name} has no effect. Give it to a plugin that registers ${registers}: app.register(async (child) => { ${call} }, { ${option}: … })`
    )
  const own = Object.entries(options).filter(([option]) => !ofRegister.includes(option))
  checkOptionNames(Object.fromEntries(own), known, `${name} has`)
}

/** The edit distance: how many letters must be changed, added or removed to turn one word into the other. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries())
      next.push(
        Math.min((row[j] as number) + Number(letter !== other), (row[j + 1] as number) + 1, (next[j] as number) + 1)
      )
    row = next
  }
  return row[to.length] as number
}
