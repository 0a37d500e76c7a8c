import { countHandles } from '../test/support/process-state.js'

// Loaded into a server before its own program: tells how much memory it holds and what it has open, when it is asked.
process.on('message', (message) => {
  if (message !== 'probe') return
  // What the first one finds free at its end, the second one takes away.
  global.gc?.()
  global.gc?.()
  const { heapUsed } = process.memoryUsage()
  process.send?.({ heap: heapUsed, open: countHandles() })
})
process.once('disconnect', () => process.exit())
// The program ends when it has nothing left to do, as without this.
process.channel?.unref()
