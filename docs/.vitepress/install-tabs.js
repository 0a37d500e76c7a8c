// A block that only installs packages gets a tab for each package manager. On GitHub it is a plain block.
const managers = {
  npm: { i: 'npm i', dev: 'npm i -D', create: 'npm create' },
  pnpm: { i: 'pnpm add', dev: 'pnpm add -D', create: 'pnpm create' },
  yarn: { i: 'yarn add', dev: 'yarn add -D', create: 'yarn create' },
  bun: { i: 'bun add', dev: 'bun add -d', create: 'bun create' }
}
const block = /^```sh\n((?:npm (?:i|install|create) [^\n&|;#]+\n)+)```$/gm
const command = /^npm (?:(create)|(?:i|install)( -D)?) (.*)$/gm

export function addInstallTabs(md) {
  md.core.ruler.before('normalize', 'install-tabs', (state) => {
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
