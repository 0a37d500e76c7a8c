import t from 'tap'
import { checkRows } from '../support/bench.js'

t.test('the benchmark measures a row alone', (t) => checkRows(t, 'get', ['get']))
