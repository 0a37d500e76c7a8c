import t from 'tap'
import { toActionLabel, toButtonLabel, toOutcome } from '../../lib/explorer/model/labels.js'

t.test('methods are called as people write', async (t) => {
  const names = [
    'create',
    'update',
    'patch',
    'remove',
    'publish',
    'archiveAll',
    'send-mail',
    'toString',
    '__proto__',
    ''
  ]
  t.strictSame(
    names.map((name) => [toActionLabel(name), toButtonLabel(name), toOutcome(name)]),
    [
      ['Create', 'Create', 'Created.'],
      ['Replace', 'Replace', 'Replaced.'],
      ['Edit', 'Save', 'Saved.'],
      ['Remove', 'Remove', 'Removed.'],
      ['Publish', 'Publish', 'Done.'],
      ['Archive all', 'Archive all', 'Done.'],
      ['Send mail', 'Send mail', 'Done.'],
      ['To string', 'To string', 'Done.'],
      [' proto ', ' proto ', 'Done.'],
      ['', '', 'Done.']
    ]
  )
})
