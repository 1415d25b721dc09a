// Preloaded into a program: its V8 compiles in the background, and collects garbage, until the very end.
import { compileFunction } from 'node:vm'

const kept = []
let made = 0

function newFunction() {
  made += 1
  const steps = Array.from({ length: 20 }, (_, n) => `if (i % ${n + 2} === 0) o.push({ x${n}: s, n${made}: i });`)
  return compileFunction(
    `let s = 0; const o = []; for (let i = 0; i < 40; i++) { s += a * i ^ b; ${steps.join('')} } return o`,
    ['a', 'b'],
  )
}

setInterval(() => {
  const work = newFunction()
  for (let n = 0; n < 100; n += 1) kept.push(work(n, made))
  if (kept.length > 5000) kept.length = 0
}, 5).unref()
