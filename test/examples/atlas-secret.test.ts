import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { callsOf } from './atlas-calls.js'
import { onEachDatabase } from './atlas-support.js'

onEachDatabase('a secret that is given takes the place of the one that is kept', async (t, options) => {
  const secret = 'a secret of 32 bytes or of more than these'
  const start = async (given?: string) => {
    const app = await createApp(await openDatabase(options), { secret: given })
    return { app, ...callsOf(app) }
  }
  const first = await start(secret)
  const { token } = await first.signUp('ada')
  await first.app.close()
  const without = await start()
  t.match(await without.call('GET', '/users', undefined, token), { status: 401 })
  await without.app.close()
  const second = await start(secret)
  t.match(await second.call('GET', '/users', undefined, token), { status: 200 })
  await second.app.close()
})

t.test('what is in the data folder is for its owner alone, from the start', async (t) => {
  const folder = t.testdir()
  const files = join(folder, 'postgres')
  const open = async () => {
    const { close } = await openDatabase({ folder })
    await close()
    return statSync(files).mode & 0o777
  }
  t.equal(await open(), 0o700)
  chmodSync(files, 0o755)
  t.equal(await open(), 0o700, 'also where the first version of the atlas has made it')
})
