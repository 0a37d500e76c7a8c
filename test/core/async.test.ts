import t from 'tap'
import { pauseAfter, retry, SerialQueue, TimeoutError, withTimeout } from '../../lib/core/async.js'

const later = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value), ms))

t.test('a timeout rejects what is late, and nothing else', async (t) => {
  t.equal(await withTimeout(1000, 'now'), 'now')
  t.equal(await withTimeout(1000, later(1, 'soon')), 'soon')
  await t.rejects(withTimeout(1000, Promise.reject(new Error('its own'))), { message: 'its own' })
  const late = later(50, 'late')
  await t.rejects(withTimeout(5, late), new TimeoutError('It has taken longer than 5 ms'))
  t.equal(await late, 'late', 'the promise goes on')
})

t.test('a task is tried again after each pause', async (t) => {
  let calls = 0
  const task = async () => {
    calls += 1
    if (calls < 3) throw new Error(`failure ${calls}`)
    return calls
  }
  await t.rejects(retry(task, [1]), { message: 'failure 2' })
  t.equal(await retry(task, [1]), 3)
  const begin = performance.now()
  await Promise.all([pauseAfter(0), later(60, undefined)])
  t.ok(performance.now() - begin < 1000)
})

t.test('tasks with the same key run one after another', async (t) => {
  const queue = new SerialQueue<string>()
  const steps: string[] = []
  const run = (key: string, name: string) =>
    queue.run(key, async () => {
      steps.push(`${name} begins`)
      await later(5, undefined)
      steps.push(`${name} ends`)
      if (name === 'first') throw new Error(name)
      return name
    })
  const tasks = [run('a', 'first'), run('a', 'second'), run('b', 'other')]
  t.match(await Promise.allSettled(tasks), [{ reason: { message: 'first' } }, { value: 'second' }, { value: 'other' }])
  const firstSteps = steps.filter((step) => !step.startsWith('other'))
  t.same(firstSteps, ['first begins', 'first ends', 'second begins', 'second ends'])
  t.ok(steps.indexOf('other begins') < steps.indexOf('first ends'))
})
