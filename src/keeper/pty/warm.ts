import { closeSync, openSync } from 'node:fs'
import { statOf } from '../../lib/proc-files.ts'
import { watchWait } from '../../lib/tty-probe.ts'
import { createTyping } from './typing.ts'

const times = 200
let isWarm = false

/** Runs the way of a conditional write into nothing: the first real one must not be the one that is compiled on the way. */
export function warmUp(): void {
  if (isWarm) return
  isWarm = true
  const fd = openSync('/dev/null', 'w')
  const own = `${process.pid} ${process.pid} ${statOf(process.pid)?.started ?? 0} s1 running`
  let to = 0
  const typing = createTyping({ fd, isOpen: () => true, id: 'nobody', drain() {}, to: () => to, told() {} })
  for (; to < times; to += 1) {
    typing.writeIf(`warm ${to}`, Buffer.from('y\n'), { to, inputs: typing.inputs, waits: null })
    watchWait(own)?.[Symbol.dispose]()
  }
  closeSync(fd)
}
