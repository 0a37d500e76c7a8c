import t from 'tap'
import { fromInputMoment, momentHint, toInputMoment, toReadableMoment } from '../../lib/explorer/model/moments.js'

t.test('moments in the inputs of a form', async (t) => {
  for (const text of ['2030-01-31T12:00:00.000Z', '1999-12-31T23:59:59.000Z', '0099-01-01T00:00:00.000Z']) {
    const shown = toInputMoment(text, 'date-time') as string
    t.match(shown, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    t.equal(fromInputMoment(shown, 'date-time'), text)
  }
  t.equal(toInputMoment('2030-01-31', 'date'), '2030-01-31')
  t.equal(fromInputMoment('2030-01-31', 'date'), '2030-01-31')
  t.equal(toInputMoment('12:30:00.5Z', 'time'), '12:30:00')
  t.equal(fromInputMoment('12:30', 'time'), '12:30:00Z')
  t.equal(fromInputMoment('12:30:01', 'time'), '12:30:01Z')
  for (const format of ['date-time', 'date', 'time']) {
    t.equal(toInputMoment('', format), '')
    t.equal(fromInputMoment('', format), '')
    for (const odd of ['soon', '7', '12:30:00+02:00', '+275760-09-13T00:00:00Z'])
      t.equal(toInputMoment(odd, format), undefined)
  }
  t.equal(fromInputMoment('soon', 'date-time'), 'soon')
})

t.test('what a moment is, beside its input', async (t) => {
  t.strictSame(
    ['date-time', 'date', 'time'].map((format) => momentHint(format, 'Europe/Berlin')),
    ['a date with a time, here Europe/Berlin', 'a date', 'a time, in UTC']
  )
})

t.test('moments as people write them', async (t) => {
  const read = (value: unknown, format?: string) => toReadableMoment(value, format, 'en-GB', 'UTC')
  t.match(read('2030-01-31T12:00:00Z', 'date-time'), /^31 Jan 2030.*12:00$/)
  t.equal(toReadableMoment('2030-01-31', 'date', 'en-GB'), '31 Jan 2030', 'a date is that date in every time zone')
  for (const [value, format] of [
    [7, 'date'],
    ['soon', 'date'],
    ['7', 'date-time'],
    ['12:00:00Z', 'time'],
    ['2030-01-31', undefined]
  ] as const)
    t.equal(read(value, format), undefined)
})
