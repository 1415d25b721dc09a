import type { PolicySubject } from '../../src/domain/policy/policy-subject.ts'
import type { PolicyFile } from '../../src/domain/policy/schema.ts'

type Given = { file: PolicyFile; registry: string[]; matched: PolicySubject[]; unmatched: PolicySubject[] }

/** Rules of every kind; the last of each kind is the one that answers. */
export function manyRules(count: number): Given {
  const each = Array.from({ length: count / 2 }, (_, index) => index)
  const registry = each.map((index) => (index % 2 === 0 ? `tool${index} run *` : `npm run task:${index}`))
  const commands = each.map((index) => [`tool${index} run *`, `npm r?n task:${index}`][index % 2] ?? '')
  const write = each.map((index) => [`packages/p${index}/**`, `**/x*${index}/*.ts`][index % 2] ?? '')
  const last = count / 2 - 1
  return {
    registry,
    file: {
      enabled: true,
      commands,
      tools: [],
      filePatterns: { write, read: [] },
      riskLevelThreshold: 'low',
      logAutoApproved: false,
      summaryIntervalSeconds: 300,
    },
    matched: [
      { kind: 'command', command: `npm run task:${last}` },
      { kind: 'files', access: 'write', paths: [`packages/a/b/c/d/x${last}/e.ts`] },
    ],
    unmatched: [
      { kind: 'command', command: 'npm run task:none' },
      { kind: 'files', access: 'write', paths: ['packages/a/b/c/d/x/e.ts'] },
    ],
  }
}
