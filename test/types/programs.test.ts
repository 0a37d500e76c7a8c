import t from 'tap'
import { compile, compilers } from './compilers.js'

t.setTimeout(300_000)

for (const compiler of compilers)
  t.test(
    `${compiler}: the programs compile, what is wrong in them does not, and no type in them is another`,
    async (t) => {
      t.strictSame(await compile(compiler, 'test/types/programs'), { code: 0, stdout: '', stderr: '' })
    }
  )
