import { describe, expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import type { AskId } from '../ask/id.ts'
import type { Answer } from '../ask/answer.ts'
import type { AskSubject } from '../ask/subject.ts'
import { compilePolicy } from './compile.ts'
import { readPolicy } from './read-policy.ts'
import { replay, type PastAsk } from './replay.ts'

const settings = {
  enabled: true,
  commands: ['npm *'],
  tools: ['forward_prompt'],
  file_patterns: { write: ['docs/**'] },
}
const { policy } = compilePolicy(readPolicy(JSON.stringify(settings)).file, ['npm test'], [])

const approve: Answer = { outcome: 'approve', always: false, reason: null }
const reject: Answer = { outcome: 'reject', reason: null }
const past = (subject: AskSubject, answer: Answer | null, more: Partial<PastAsk> = {}): PastAsk => ({
  id: newId<AskId>(),
  title: 'an ask',
  kind: subject.kind,
  riskLevel: 'low',
  subject,
  needed: 1,
  answer,
  answeredBy: answer && 'user:ann',
  answeredAt: answer && '2030-01-01T00:00:00.000Z',
  automatic: false,
  ...more,
})
const npmTest: AskSubject = { kind: 'command', command: 'npm test', cwd: '/work' }
const rm: AskSubject = { kind: 'command', command: 'rm -rf x', cwd: '/work' }
const options = [
  { optionId: 'y', name: 'Yes', kind: 'allow_once' as const },
  { optionId: 'n', name: 'No', kind: 'reject_once' as const },
]
const permission: AskSubject = { kind: 'permission', toolCall: { kind: 'edit', args: { path: 'docs/a' } }, options }
const prompt: AskSubject = {
  kind: 'prompt',
  text: 'x',
  promptType: 'continuation',
  elapsedSeconds: null,
  actionsTaken: null,
}

describe('a policy tested against past asks', () => {
  it('counts what it would have answered, and lists where people answered otherwise', () => {
    const no = past(permission, { outcome: 'select', optionId: 'n', reason: null })
    const stop = past(prompt, { outcome: 'stop', reason: null })
    const report = replay(
      [
        past(npmTest, approve),
        past(npmTest, approve),
        past(npmTest, null),
        past(rm, reject),
        past(permission, { outcome: 'select', optionId: 'y', reason: null }),
        no,
        past(prompt, { outcome: 'continue' }),
        stop,
        past({ kind: 'wait', message: null }, { outcome: 'resume', instruction: null }),
      ],
      policy,
      '/work',
    )
    expect(report).toEqual({
      asks: 8,
      answered: 7,
      same: 4,
      wouldAsk: 0,
      differ: [
        {
          askId: no.id,
          title: 'an ask',
          kind: 'permission',
          rule: 'file_pattern:write:docs/**',
          chose: 'No',
          by: 'user:ann',
          at: '2030-01-01T00:00:00.000Z',
        },
        expect.objectContaining({ askId: stop.id, rule: 'tool:forward_prompt', chose: 'stop' }),
      ],
      rules: [
        { rule: 'command:npm *', answered: 3, differ: 0 },
        { rule: 'file_pattern:write:docs/**', answered: 2, differ: 1 },
        { rule: 'tool:forward_prompt', answered: 2, differ: 1 },
      ],
    })
  })

  it('leaves asks to people that need two votes, are critical, or can’t be allowed once', () => {
    const forEver = { ...permission, options: [{ optionId: 'a', name: 'Always', kind: 'allow_always' as const }] }
    const asks = [
      past(npmTest, approve, { needed: 2 }),
      past(npmTest, approve, { riskLevel: 'critical' }),
      past(forEver, null),
    ]
    expect(replay(asks, policy, '/work')).toMatchObject({ asks: 3, answered: 0 })
  })

  it('counts asks that were automatic and would no longer be', () => {
    const then = { automatic: true, answeredBy: 'policy:command:rm *' }
    expect(replay([past(rm, approve, then), past(npmTest, approve, then)], policy, '/work')).toMatchObject({
      asks: 2,
      answered: 1,
      same: 1,
      wouldAsk: 1,
    })
  })
})
