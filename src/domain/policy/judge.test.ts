import { describe, expect, it } from 'vitest'
import { askForEverything, compilePolicy } from './compile.ts'
import { judge } from './judge.ts'
import type { PolicySubject } from './policy-subject.ts'
import { readPolicy } from './read-policy.ts'
import type { Rule } from './schema.ts'

type Settings = Record<string, unknown>
const policyOf = (settings: Settings | null, confirmed: readonly Rule[] = [], kept: readonly string[] = []) =>
  compilePolicy(settings && readPolicy(JSON.stringify({ enabled: true, ...settings })).file, ['ls'], confirmed, kept)
    .policy
const write = (...paths: string[]): PolicySubject => ({ kind: 'files', access: 'write', paths })
const read = (...paths: string[]): PolicySubject => ({ kind: 'files', access: 'read', paths })

describe('risk', () => {
  const command: PolicySubject = { kind: 'command', command: 'ls' }
  it.each([
    ['low', 'low', true],
    ['low', 'high', false],
    ['low', 'critical', false],
    ['high', 'low', true],
    ['high', 'high', true],
    ['high', 'critical', false],
  ] as const)('threshold %s, risk %s: %s', (threshold, risk, expected) => {
    const policy = policyOf({ commands: ['ls'], risk_level_threshold: threshold })
    expect(judge(policy, command, risk) !== null).toBe(expected)
  })

  it('is not considered if the policy is off', () => {
    const off = compilePolicy(readPolicy('{"commands":["ls"]}').file, ['ls'], [{ kind: 'command', pattern: 'pwd' }])
    for (const policy of [off.policy, askForEverything, policyOf(null)]) {
      expect(judge(policy, command, 'low')).toBeNull()
      expect(judge(policy, { kind: 'command', command: 'pwd' }, 'low')).toBeNull()
    }
  })
})

describe('files', () => {
  const policy = policyOf({ file_patterns: { write: ['docs/**', '*.md', '**/*.json'], read: ['src/**'] } })

  it('are automatic when every one matches', () => {
    expect(judge(policy, write('docs/a.md'), 'low')).toBe('file_pattern:write:docs/**')
    expect(judge(policy, write('docs/a.md', 'README.md'), 'low')).toBe('file_pattern:write:docs/**')
    expect(judge(policy, write('docs/a.md', 'src/a.ts'), 'low')).toBeNull()
    expect(judge(policy, write(), 'low')).toBeNull()
    expect(judge(policy, read('src/a.ts'), 'low')).toBe('file_pattern:read:src/**')
    expect(judge(policy, read('docs/a.md'), 'low')).toBeNull()
    expect(judge(policy, write('src/a.ts'), 'low')).toBeNull()
  })

  const everything = policyOf({
    file_patterns: { write: ['**', '**/.*', '.*/**', '**/.*/**'], read: ['**', '**/.*', '.*/**', '**/.*/**'] },
    tools: ['anything'],
  })
  it.each([
    '.signalbox/settings.json',
    '.monocoque/settings.json',
    '.git/config',
    '.git/hooks/pre-commit',
    'vendor/lib/.git/config',
    '.GIT/config',
    '.Git/hooks/x',
    '.g\u200cit/config',
    '.ｇｉｔ/config',
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    '.git',
    '.gitmodules',
    '.gitattributes',
    '.envrc',
    'app/.envrc',
    '.ENVRC',
    '.vscode/tasks.json',
    '.vscode/settings.json',
    '.vscode/launch.json',
    '.vscode/mcp.json',
    'x.code-workspace',
    '.idea/workspace.xml',
    '.zed/tasks.json',
    '.nvim.lua',
    '.exrc',
    '.dir-locals.el',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.mcp.json',
    '.cursor/mcp.json',
    '.gemini/settings.json',
    'opencode.json',
    '.codex/config.toml',
    '.husky/pre-commit',
    'lefthook.yml',
    '.pre-commit-config.yaml',
    '.devcontainer/devcontainer.json',
    '.bashrc',
    '.ssh/authorized_keys',
    'mise.toml',
    '../x',
    '/etc/passwd',
    'a/../../x',
    'a//b',
    './a',
  ])('are never automatic, whatever the pattern: %s', (path) => {
    expect(judge(everything, write(path), 'low')).toBeNull()
    expect(judge(everything, read(path), 'low')).toBeNull()
    expect(judge(everything, write('a.ts', path), 'low')).toBeNull()
    expect(judge(everything, { kind: 'tool', tool: 'anything', filePath: path }, 'low')).toBeNull()
    const confirmed = policyOf({}, [{ kind: 'write', pattern: path }])
    expect(judge(confirmed, write(path), 'low')).toBeNull()
  })

  it.each(['a.ts', '.env.example', 'docs/.prettierrc', '.github/ISSUE_TEMPLATE.md', 'src/git/a.ts', 'gitmodules'])(
    'are automatic if the pattern has the dot: %s',
    (path) => expect(judge(everything, write(path), 'low')).not.toBeNull(),
  )

  it('of this server itself are never automatic', () => {
    const keeping = policyOf({ file_patterns: { write: ['**'] } }, [], ['config.toml', 'data'])
    expect(judge(keeping, write('config.toml'), 'low')).toBeNull()
    expect(judge(keeping, write('CONFIG.toml'), 'low')).toBeNull()
    expect(judge(keeping, write('data/a/b'), 'low')).toBeNull()
    expect(judge(keeping, write('data2/a'), 'low')).not.toBeNull()
  })
})

describe('tools', () => {
  const policy = policyOf({
    tools: ['remote_log', 'forward_prompt'],
    file_patterns: { write: ['docs/**'], read: ['src/**'] },
  })
  const tool = (name: string, filePath?: string) =>
    judge(policy, { kind: 'tool', tool: name, ...(filePath !== undefined && { filePath }) }, 'low')

  it('are automatic by their whole name', () => {
    expect(tool('remote_log')).toBe('tool:remote_log')
    expect(tool('remote_logs')).toBeNull()
    expect(tool('REMOTE_LOG')).toBeNull()
    expect(tool('')).toBeNull()
    expect(compilePolicy(readPolicy('{"tools":["mcp__*"]}').file, [], []).ignored).toHaveLength(1)
  })

  it('with a file are judged by it: as reading if the tool is known to only read', () => {
    expect(tool('write_file', 'docs/a')).toBe('file_pattern:write:docs/**')
    expect(tool('write_file', 'src/a')).toBeNull()
    expect(tool('read_file', 'src/a')).toBe('file_pattern:read:src/**')
    expect(tool('readFile', 'src/a')).toBeNull()
    expect(tool('read_and_delete', 'src/a')).toBeNull()
    expect(tool('sharpen', 'src/a')).toBeNull()
  })

  it('of prompts: only if forward_prompt is listed, and never after an error', () => {
    const prompt = (promptType: string, by = policy) => judge(by, { kind: 'prompt', promptType }, 'low')
    expect(prompt('continuation')).toBe('tool:forward_prompt')
    expect(prompt('error_recovery')).toBeNull()
    expect(prompt('continuation', policyOf({ tools: [] }))).toBeNull()
  })
})

describe('confirmed rules', () => {
  const rules: Rule[] = [
    { kind: 'write', pattern: 'a/[b].ts' },
    { kind: 'read', pattern: 'c.ts' },
    { kind: 'tool', pattern: 't' },
  ]
  it('apply without a file, and only to exactly what they name', () => {
    const policy = policyOf(null, rules)
    expect(judge(policy, write('a/[b].ts'), 'low')).toBe('file_pattern:write:a/[b].ts')
    expect(judge(policy, write('a/b.ts'), 'low')).toBeNull()
    expect(judge(policy, read('c.ts'), 'low')).toBe('file_pattern:read:c.ts')
    expect(judge(policy, { kind: 'tool', tool: 't' }, 'low')).toBe('tool:t')
    expect(judge(policy, { kind: 'tool', tool: 't' }, 'high')).toBeNull()
  })
})
