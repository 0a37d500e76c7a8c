// tap comes built with its TypeScript plugin, which needs an older compiler: .taprc leaves it out, and tap is built anew
// once per install.
import { spawnSync } from 'node:child_process'
import { t } from 'tap'

if (t.pluginSignature.includes('@tapjs/typescript')) {
  const { status } = spawnSync('npx tap build', { shell: true, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
