import { readdirSync } from 'node:fs'
import { readLine, statOf, type Stat } from './proc-files.ts'

// Builds may start hundreds of processes: this many are enough.
const mostLooked = 200
const mostMembers = 32

export type Group = {
  members: Stat[]
  /** Descendants in sessions without a terminal of their own: `su -c` and `setsid` put programs there. */
  apart: Stat[]
}

/** The living processes of a foreground group, searched from the session's leader down; in all of /proc if none is found. */
export function foregroundGroup(leader: Stat, group: number): Group {
  const found = belowLeader(leader, group)
  return found.members.length > 0 ? found : { members: everywhere(leader, group), apart: [] }
}

function belowLeader(leader: Stat, group: number): Group {
  const found: Stat[] = []
  const apart: Stat[] = []
  const line: Stat[] = [leader]
  // The group's leader is usually still there, so it is checked first.
  const first = group === leader.pid ? null : statOf(group)
  if (first && isMember(first, group) && first.session === leader.session) found.push(first)
  for (let at = 0; at < line.length && at < mostLooked; at += 1) {
    const stat = line[at]
    if (!stat) break
    if (isMember(stat, group) && stat.pid !== first?.pid) found.push(stat)
    if (stat.session !== leader.session && stat.tty === 0 && apart.length < mostMembers) apart.push(stat)
    if (found.length >= mostMembers) break
    for (const pid of childrenOf(stat)) {
      const child = statOf(pid)
      if (child) line.push(child)
    }
  }
  return { members: found, apart }
}

const isMember = ({ state, group }: Stat, wanted: number): boolean => group === wanted && state !== 'Z' && state !== 'X'

function childrenOf({ pid, threads }: Stat): number[] {
  const tids = threads > 1 ? namesIn(`/proc/${pid}/task`) : [String(pid)]
  return tids.flatMap((tid) => readLine(`/proc/${pid}/task/${tid}/children`)?.trim().split(' ').map(Number) ?? [])
}

/** Processes whose parent has ended are not below the leader. */
function everywhere(leader: Stat, group: number): Stat[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
    .filter((stat) => isMember(stat, group) && stat.session === leader.session)
    .slice(0, mostMembers)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
