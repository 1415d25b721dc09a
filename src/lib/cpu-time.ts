import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100
const mostProcesses = 500

/** Milliseconds of CPU time that a process and its descendants used. 0 where there is no /proc. */
export function cpuMsOf(pid: number): number {
  let ticks = 0
  const waiting = [pid]
  for (let seen = 0; waiting.length > 0 && seen < mostProcesses; seen += 1) {
    const one = waiting.pop() ?? 0
    const stat = read(`/proc/${one}/stat`)
    // The program's name is in brackets and may itself contain brackets and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // Its own time in user and kernel mode, and that of children it waited for.
    for (const field of fields.slice(11, 15)) ticks += Number(field)
    waiting.push(...childrenOf(one))
  }
  return (ticks * 1000) / ticksPerSecond
}

function childrenOf(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return threads.flatMap((thread) =>
      read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
