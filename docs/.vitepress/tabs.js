// On GitHub they are plain blocks.

/** The package managers of a block that only installs packages. */
const managers = {
  npm: { i: 'npm i', dev: 'npm i -D', create: 'npm create' },
  pnpm: { i: 'pnpm add', dev: 'pnpm add -D', create: 'pnpm create' },
  yarn: { i: 'yarn add', dev: 'yarn add -D', create: 'yarn create' },
  bun: { i: 'bun add', dev: 'bun add -d', create: 'bun create' }
}
const block = /^```sh\n((?:npm (?:i|install|create) [^\n&|;#]+\n)+)```$/gm
const command = /^npm (?:(create)|(?:i|install)( -D)?) (.*)$/gm

/** Blocks one after another, each below a line with its name: `TypeBox:` */
const named = /(?:^[A-Za-z]+[^\n]{0,40}:\n\n```ts\n(?:(?!^```)[^\n]*\n)*```\n\n?){2,}/gm
const one = /^([A-Za-z]+)[^\n]{0,40}:\n\n```ts\n((?:(?!^```)[^\n]*\n)*```)/gm

/** Shows blocks as tabs: one for each package manager, or for each library. */
export function addTabs(md) {
  md.core.ruler.before('normalize', 'tabs', (state) => {
    state.src = state.src.replace(named, (blocks) => {
      const tabs = [...blocks.matchAll(one)].map(([, name, code]) => `\`\`\`ts [${name}]\n${code}`)
      return `::: code-group\n${tabs.join('\n')}\n:::\n\n`
    })
    state.src = state.src.replace(block, (_, commands) => {
      const tabs = Object.entries(managers).map(
        ([name, manager]) => `\`\`\`sh [${name}]\n${toText(manager, name, commands)}\`\`\``
      )
      return `::: code-group\n${tabs.join('\n')}\n:::`
    })
  })
}

function toText(manager, name, commands) {
  return commands.replace(command, (_, create, dev, rest) => {
    // Only npm needs `--` before the options of the created project.
    const words = name === 'npm' ? rest : rest.replace(' -- ', ' ')
    return `${create ? manager.create : dev ? manager.dev : manager.i} ${words}`
  })
}
