// tap comes built with its TypeScript plugin, which needs an older compiler, and with others that are not used: .taprc
// leaves them out, and tap is built anew once per install.
import { spawnSync } from 'node:child_process'
import { t } from 'tap'

if (['@tapjs/typescript', '@tapjs/mock'].some((name) => t.pluginSignature.includes(name))) {
  const { status } = spawnSync('npx tap build', { shell: true, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
