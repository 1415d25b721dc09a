// Prints at a steady rate, and now and then asks and waits for an answer, until its terminal is hung up.
import { createInterface } from 'node:readline'

const [bytesPerSecond = '1000', askEverySeconds = '10'] = process.argv.slice(2)
const tickMs = 100
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const colours = [31, 32, 33, 34, 35, 36]

let line = 0
const nextLine = () => {
  line += 1
  const colour = colours[line % colours.length] ?? 0
  return `\u001b[${colour}m${line}\u001b[0m compiled src/part-${line % 97}/file-${line % 1009}.ts in ${line % 41} ms, 0 warnings\n`
}

for (let round = 1; ; round += 1) {
  const until = Date.now() + Number(askEverySeconds) * 1000
  let due = 0
  while (Date.now() < until) {
    due += (Number(bytesPerSecond) * tickMs) / 1000
    let text = ''
    while (text.length < due) text += nextLine()
    due -= text.length
    process.stdout.write(text)
    await new Promise((resolve) => setTimeout(resolve, tickMs))
  }
  process.stdout.write(`Go on with step ${round}? [Y/n] `)
  const { done } = await answers.next()
  if (done) break
}
