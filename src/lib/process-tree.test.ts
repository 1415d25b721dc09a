import { describe, expect, it } from 'vitest'
import { processTreeOf } from './process-tree.ts'
import type { Process } from './process-list.ts'

const keeper = 50
const one = (pid: number, parent: number, rest: Partial<Process> = {}): Process => ({
  pid,
  parent,
  group: pid,
  session: pid,
  started: '1',
  mark: null,
  ...rest,
})
const pids = (root: Parameters<typeof processTreeOf>[0], all: Process[]) =>
  processTreeOf(root, all, keeper).map(({ pid }) => pid)

describe('a child’s processes', () => {
  const root = { pid: 100, mark: 'home:a', hasExited: false }

  it('are its group, its session, its descendants and whatever has its mark', () => {
    const all = [
      one(1, 0),
      one(keeper, 1),
      one(100, keeper),
      one(101, 1, { group: 100 }),
      one(102, 1, { session: 100 }),
      one(103, 100),
      one(104, 103),
      one(105, 1, { mark: 'home:a' }),
      one(106, 105),
      one(107, 1, { mark: 'home:ab' }),
      one(108, 1, { mark: 'other:a' }),
      one(109, keeper),
    ]
    expect(pids(root, all)).toEqual([100, 101, 102, 105, 103, 104, 106])
  })

  it('do not include one that only got the number of a child that ended', () => {
    const all = [one(100, 1), one(101, 100), one(105, 1, { mark: 'home:a' })]
    expect(pids({ ...root, hasExited: true }, all)).toEqual([105])
  })
})
