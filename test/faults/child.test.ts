import { join } from 'node:path'
import t from 'tap'
import { Child } from '../support/child.js'

const folder = t.testdir({
  'dies.js': "console.error('no port is free'); process.exit(3)",
  'throws.js': "throw new Error('not today')",
  'once.js': "process.send({ port: 1 }); process.on('message', () => process.exit(1))"
})
const childOf = (script: string) => new Child(join(folder, script))

t.test('a process that dies at its start is told of, with what it has printed', async (t) => {
  await t.rejects(childOf('dies.js').start(), { message: /dies\.js ended at its start \(3\): no port is free/ })
  await t.rejects(childOf('throws.js').start(), { message: /throws\.js ended at its start \(1\): .*not today/s })
})

t.test('a question to a process that dies of it, or has died, has no answer', async (t) => {
  const child = childOf('once.js')
  await child.start()
  t.equal(child.port, 1)
  t.equal(await child.ask('state'), undefined)
  t.equal(child.alive, false)
  t.equal(await child.ask('state'), undefined)
  t.equal(await child.message('state'), undefined)
})

t.test('it is started anew', async (t) => {
  const child = childOf('once.js')
  for (let round = 0; round < 2; round++) {
    await child.start()
    t.equal(child.alive, true)
    await child.kill()
    t.equal(child.alive, false)
  }
})
