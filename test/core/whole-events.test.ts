import { EventEmitter } from 'node:events'
import t from 'tap'
import { createEmitter, emitResult, eventMethods, isEmitter } from '../../lib/core/events.js'
import { settled } from '../support/core.js'
import { isKept } from '../support/kept.js'
import { outcomeOf, told } from './told.js'

const emitters: Record<string, () => object> = {
  ours: createEmitter,
  "Node's": () => new EventEmitter()
}

/** All that is done with listeners, in order, and what comes of it. */
function listen(object: object, isOurs: boolean) {
  const calls: unknown[] = []
  const service = { name: 'the service' }
  const methods = eventMethods(
    object as never,
    service,
    (error, event) => void calls.push([event, 'failed', told(error)])
  )
  const label = (name: string) =>
    Object.assign(
      function (this: unknown, ...args: unknown[]) {
        calls.push([name, ...args, this === service])
      },
      { label: name }
    )
  const names = (event: string) =>
    methods.listeners(event).map((one) => (one as unknown as { label?: string }).label ?? 'none')
  const [a, b] = [label('a'), label('b')]
  const fail = () => {
    throw new Error('of a listener')
  }
  const log = (text: string, value?: unknown) => calls.push([text, value === service ? 'the service' : told(value)])
  log('none', methods.emit('x', 1))
  log('on', methods.on('x', a))
  log('once', methods.once('x', b))
  log('addListener', methods.addListener('x', b))
  log('listeners', names('x'))
  log('emit', methods.emit('x', 1, 'two'))
  log('again', methods.emit('x'))
  for (const one of [fail, async () => fail(), a]) methods.on('x', one)
  log('failing', methods.emit('x', 2))
  log('off', methods.off('x', a))
  log('listeners', names('x'))
  log('off of none', methods.removeListener('y', a))
  log('count', [methods.listenerCount('x'), methods.listenerCount('y')])
  log('off of another', methods.off('x', label('c')))
  if (!isOurs) (object as EventEmitter).once('x', label('of the object'))
  log('emit', methods.emit('x'))
  log('listeners', names('x'))
  methods.on('y', a)
  log('remove', methods.removeAllListeners('x'))
  log('count', [methods.listenerCount('x'), methods.listenerCount('y')])
  methods.on('x', a)
  log('remove all', methods.removeAllListeners())
  log('count', [methods.listenerCount('x'), methods.listenerCount('y')])
  for (const listener of [undefined, null, 'a', {}])
    log(
      'refused',
      outcomeOf(() => methods.on('x', listener as never))
    )
  log(
    'refused once',
    outcomeOf(() => methods.once('x', 5 as never))
  )
  return calls
}

const results: [event: unknown, result: unknown, own?: string[]][] = [
  ['created', { id: 1 }],
  ['created', [{ id: 1 }, { id: 2 }]],
  ['created', []],
  ['created', undefined],
  ['created', { id: 1 }, ['removed', 'created']],
  ['created', { id: 1 }, ['removed']],
  ['', 'empty'],
  [null, 1],
  [5, 1],
  [undefined, 1]
]

t.test('events: listeners, and what is emitted for a result', async (t) => {
  const heard = await Promise.all(
    Object.entries(emitters).map(async ([name, create]) => {
      const calls = listen(create(), name === 'ours')
      // Those that reject do so later.
      await settled()
      return [name, calls]
    })
  )
  const emitted = results.map(([event, result, own = []]) => {
    const seen: unknown[] = []
    const context = { event, result }
    emitResult(context as never, own, (name, record, given) => void seen.push([name, told(record), given === context]))
    return [told(event), told(result), own, seen]
  })
  const members = ['on', 'off', 'once', 'emit', 'listeners', 'removeAllListeners', 'listenerCount']
  const whole = Object.fromEntries(members.map((name) => [name, told]))
  const kinds = [whole, {}, new EventEmitter(), createEmitter(), ...members.map((name) => ({ ...whole, [name]: 1 }))]
  isKept(t, { heard: Object.fromEntries(heard), emitted, emitters: kinds.map(isEmitter) }, 'test/core/whole-events.txt')
})
