import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { hasDemo } from '../../examples/atlas/demo.js'
import { onEachDatabase } from './atlas-support.js'

onEachDatabase('the demo user is created once', async (t, options) => {
  const first = await createApp(await openDatabase(options))
  await first.ready()
  t.equal(await hasDemo(first), true)
  const users = first.service<{ remove(id: number | null): Promise<unknown> }>('users')
  await users.remove(1)
  t.equal(await hasDemo(first), false)
  await first.close()
  const again = await createApp(await openDatabase(options))
  t.teardown(() => again.close())
  await again.ready()
  t.equal(await hasDemo(again), false, 'and stays away')
})
