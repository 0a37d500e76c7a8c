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
    const [likely] = known
      .map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }))
      .filter(({ distance }) => distance <= 2)
      .sort((a, b) => a.distance - b.distance)
    const hint = likely === undefined ? '' : `. Did you mean '${place}${likely.one}'?`
    throw new Error(
      `${has} no option '${place}${name}'. There are: ${known.map((one) => place + one).join(', ')}${hint}`
    )
  }
}

// By `@fastify/autoload` too.
const ofRegister = ['prefix', 'logLevel', 'logSerializers']

/** The options of a plugin without those that Fastify takes of every plugin, and applies to none that decorates the instance around it. */
export function withoutRegister(options: object, warn: (name: string) => void): object {
  for (const name of ofRegister) if (name in options) warn(name)
  return Object.fromEntries(Object.entries(options).filter(([name]) => !ofRegister.includes(name)))
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
