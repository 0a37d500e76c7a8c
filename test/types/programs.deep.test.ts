import t from 'tap'
import { compile, compilers } from '../support/compilers.js'

t.setTimeout(900_000)

for (const compiler of compilers)
  for (const folder of ['programs', 'augmented'])
    t.test(`${compiler}: ${folder} compile, with the types that they name`, async (t) => {
      t.strictSame(await compile(compiler, `test/types/${folder}`), { code: 0, stdout: '', stderr: '' })
    })
