import { Checks } from './checks.js'
import { sides } from './sides.js'
const [name] = process.argv.slice(2)
const { run } = await import(`./${name}.js`)
const all = {}
for (const [side, create] of Object.entries(sides)) {
  const t = new Checks(create)
  await run(t)
  all[side] = t.results
}
for (const [check, f] of all.feathers) {
  const s = all.services.get(check)
  if (!f.holds || !s.holds) console.log(check, '\n  F', f.holds, JSON.stringify(f.found), f.message?.slice(0,120), '\n  S', s.holds, JSON.stringify(s.found), s.message?.slice(0,120))
}
const held = (m) => [...m.values()].filter(({ holds }) => holds).length
console.log(all.feathers.size, held(all.feathers), held(all.services))
