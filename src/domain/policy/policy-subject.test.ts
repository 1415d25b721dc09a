import { describe, expect, it } from 'vitest'
import type { Json } from '../../lib/json.ts'
import type { AskSubject } from '../ask/subject.ts'
import { compilePolicy } from './compile.ts'
import { judge } from './judge.ts'
import { policySubjectOf } from './policy-subject.ts'
import { proposalOf } from './propose.ts'

const about = { workspaceRoot: '/work/shop' }
const diff = (text: string, filePath: string, files: readonly string[] = []): AskSubject => ({
  kind: 'diff',
  filePath,
  diff: text,
  files: files.map((path) => ({ path, hash: 'new_file' })),
})
const permission = (toolCall: Json): AskSubject => ({ kind: 'permission', toolCall, options: [] })
const writes = (...paths: string[]) => ({ kind: 'files', access: 'write', paths })
const reads = (...paths: string[]) => ({ kind: 'files', access: 'read', paths })
const command = (text: string) => ({ kind: 'command', command: text })

describe('a diff', () => {
  const edit = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-- x\n+-- y\n'
  it('is about every file it names', () => {
    expect(policySubjectOf(diff(edit, 'src/a.ts'), about)).toEqual(writes('src/a.ts'))
    expect(policySubjectOf(diff(edit, 'src/a.ts', ['src/a.ts', 'b.ts']), about)).toEqual(writes('src/a.ts', 'b.ts'))
    expect(policySubjectOf(diff(edit, 'docs/x.md'), about)).toEqual(writes('docs/x.md', 'src/a.ts'))
    expect(policySubjectOf(diff('whole content', '/work/shop/a.ts'), about)).toEqual(writes('a.ts'))
    const moved = 'diff --git a/a.ts b/b.ts\nrename from a.ts\nrename to b.ts\n'
    expect(policySubjectOf(diff(moved, 'b.ts'), about)).toEqual(writes('b.ts', 'a.ts'))
    const bare = 'diff --git a/x.sh b/x.sh\nold mode 100644\nnew mode 100755\n'
    expect(policySubjectOf(diff(bare, 'y'), about)).toEqual(writes('y', 'x.sh'))
    const empty = 'diff --git "a/\\303\\251" "b/\\303\\251"\nnew file mode 100644\n'
    expect(policySubjectOf(diff(empty, 'y'), about)).toEqual(writes('y', 'é'))
    const quoted = '--- /dev/null\n+++ "b/\\303\\251.txt"\n@@ -0,0 +1 @@\n+x\n'
    expect(policySubjectOf(diff(quoted, 'é.txt'), about)).toEqual(writes('é.txt'))
  })

  it.each([
    ['names a file it did not mention', diff('--- a/x\n+++ b/.envrc\n@@ -1 +1 @@\n-a\n+b\n', 'x', ['x'])],
    [
      'hides a file behind wrong counts',
      diff(`--- a/x\n+++ b/x\n@@ -1,99 +1,99 @@\n-a\n+b\ndiff --git a/y b/y\n`, 'x'),
    ],
    [
      'hides a hunk behind wrong counts',
      diff('--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n', 'x'),
    ],
    [
      'changes only the mode of a file it did not mention',
      diff('diff --git a/.envrc b/.envrc\nnew mode 100755\n', 'x', ['x']),
    ],
    ['can be read in two ways', diff('diff --git a/x b/y b/z b/x\n', 'x')],
    ['has a name no file system allows', diff('x', 'a'.repeat(256))],
    ['has an endless line', diff(`diff --git ${'a '.repeat(500_000)}`, 'x')],
    ['leads out', diff('x', '../x')],
    ['leads up and back', diff('x', 'a/../b')],
    ['is elsewhere', diff('x', '/etc/passwd')],
    ['is next to the workspace', diff('x', '/work/shop2/x')],
    ['is in a home', diff('x', '~/x')],
    ['is a directory', diff('x', 'src/')],
    ['is the workspace', diff('x', '/work/shop')],
    ['has a NUL', diff('x', 'a\0b')],
    ['has a newline', diff('x', 'a\nb')],
    ['has invisible characters', diff('x', 'a\u200bb')],
    ['reverses the text', diff('x', 'a\u202eb')],
    ['has a backslash', diff('x', 'a\\b')],
    ['ends in a space', diff('x', 'a /b')],
    ['has an empty name', diff('x', 'a//b')],
    ['has a bad quoted name', diff('--- "a/x\n+++ b/x\n', 'x')],
  ])('that %s is left to people', (_what, subject) => {
    expect(policySubjectOf(subject, about)).toBeNull()
  })
})

describe('a command', () => {
  it('is one of the workspace itself', () => {
    expect(policySubjectOf({ kind: 'command', command: 'npm test', cwd: '/work/shop' }, about)).toEqual(
      command('npm test'),
    )
    expect(policySubjectOf({ kind: 'command', command: 'npm test', cwd: '/work/shop/' }, about)).toEqual(
      command('npm test'),
    )
    for (const cwd of ['/', '/work', '/work/shop/node_modules/x', '/work/shop/..'])
      expect(policySubjectOf({ kind: 'command', command: 'npm test', cwd }, about)).toBeNull()
  })
})

describe('a tool call of an agent', () => {
  it.each<[string, Json, unknown]>([
    ['a line', { kind: 'execute', args: { command: 'npm test' } }, command('npm test')],
    ['words', { kind: 'execute', args: { command: ['npm', 'run', 'a b'] } }, command("npm run 'a b'")],
    ['shell syntax', { kind: 'execute', args: { command: ['bash', '-lc', 'id'] } }, command('id')],
    ['more shell syntax', { kind: 'execute', args: { command: ['bash', '-c', 'id', 'x'] } }, command('bash -c id x')],
    ['here', { kind: 'execute', args: { command: 'ls', cwd: '/work/shop' } }, command('ls')],
    ['elsewhere', { kind: 'execute', args: { command: 'ls', cwd: '/' } }, null],
    ['elsewhere, by another name', { kind: 'execute', args: { command: 'ls', workdir: 'sub' } }, null],
    ['with variables', { kind: 'execute', args: { command: 'ls', env: { A: 'b' } } }, null],
    ['with more arguments', { kind: 'execute', args: { command: 'ls', args: ['-l'] } }, null],
    ['with more rights', { kind: 'execute', args: { command: 'ls', dangerouslyDisableSandbox: true } }, null],
    [
      'with more rights, by another name',
      { kind: 'execute', args: { command: 'ls', with_escalated_permissions: true } },
      null,
    ],
    ['with no more rights', { kind: 'execute', args: { command: 'ls', sandbox: false, timeout: 5 } }, command('ls')],
    ['two commands', { kind: 'execute', args: { command: 'ls', script: 'id' } }, null],
    ['only a title', { kind: 'execute', title: '`npm test`', args: {} }, null],
    ['no words', { kind: 'execute', args: { command: [] } }, null],
    ['odd arguments', { kind: 'execute', args: { command: ['ls', 1] } }, null],
    ['no kind, but a command', { tool: 'Bash', kind: 'other', args: { command: 'id' } }, null],
    ['an edit', { kind: 'edit', args: {}, content: [{ type: 'diff', path: '/work/shop/a.ts' }] }, writes('a.ts')],
    [
      'an edit of several',
      {
        kind: 'edit',
        args: { file_path: 'a.ts', changes: { 'b.ts': {} } },
        content: [{ type: 'diff', path: 'c.ts' }],
        locations: [{ path: 'd.ts' }],
      },
      writes('a.ts', 'b.ts', 'c.ts', 'd.ts'),
    ],
    [
      'a patch',
      { kind: 'edit', args: { input: '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts' } },
      writes('a.ts', 'b.ts'),
    ],
    [
      'an edit with paths inside it',
      { kind: 'edit', args: { edits: [{ filePath: 'a' }, { to: { file_name: 'b' } }] } },
      writes('a', 'b'),
    ],
    ['an edit of named files', { kind: 'edit', args: { files: ['a', 'b'] } }, writes('a', 'b')],
    ['an edit of files that are not text', { kind: 'edit', args: { files: [{ x: 1 }] } }, null],
    ['an edit outside', { kind: 'edit', args: { path: '/etc/x' } }, null],
    ['an edit of nothing', { kind: 'edit', args: {} }, null],
    ['an edit that shows no path', { kind: 'edit', args: { path: 'a' }, content: [{ type: 'diff' }] }, null],
    ['an edit that runs', { kind: 'edit', args: { path: 'a', command: 'id' } }, null],
    ['a removal', { kind: 'delete', args: { path: 'a' } }, writes('a')],
    ['a move', { kind: 'move', args: { source: 'a', destination: 'b' } }, writes('a', 'b')],
    ['reading', { kind: 'read', args: { file_path: '/work/shop/a' }, locations: [{ path: 'a' }] }, reads('a')],
    ['reading nothing known', { kind: 'read', args: {} }, null],
    ['reading that shows a diff', { kind: 'read', args: { path: 'a' }, content: [{ type: 'diff', path: 'a' }] }, null],
    ['a tool', { kind: 'other', tool: 'mcp__x__y', args: { q: 1 } }, { kind: 'tool', tool: 'mcp__x__y' }],
    ['a tool without a name', { kind: 'other', tool: 'other', args: {} }, null],
    ['fetching by its kind', { kind: 'fetch', tool: 'fetch', args: {} }, null],
    ['a tool with files', { kind: 'other', tool: 't', args: { paths: ['a', 'b'] } }, null],
    [
      'a tool with a file',
      { kind: 'other', tool: 't', args: { path: 'a' } },
      { kind: 'tool', tool: 't', filePath: 'a' },
    ],
    ['paths that are not text', { kind: 'edit', args: { path: { a: 1 } } }, null],
    ['nothing', null, null],
    ['a list', [], null],
  ])('%s', (_what, toolCall, expected) => {
    expect(policySubjectOf(permission(toolCall), about)).toEqual(expected)
  })
})

describe('a tool', () => {
  const tool = (name: string, input: Json) => policySubjectOf({ kind: 'tool', tool: name, input }, about)
  it('is judged by its name and file, or by the command it shows', () => {
    expect(tool('t', {})).toEqual({ kind: 'tool', tool: 't' })
    expect(tool('t', { filePath: '/work/shop/a' })).toEqual({ kind: 'tool', tool: 't', filePath: 'a' })
    expect(tool('Bash', { command: 'npm test' })).toEqual(command('npm test'))
    expect(tool('t', { path: '/etc/x' })).toBeNull()
    expect(tool('t', { source: 'a', destination: 'b' })).toBeNull()
  })
})

it.each<[AskSubject]>([
  [{ kind: 'wait', message: null }],
  [{ kind: 'question', question: 'x', options: [], freeText: true }],
  [{ kind: 'credential', name: 'x', host: 'y', reason: 'z' }],
  [{ kind: 'packages', apt: ['x'], npm: [], reason: 'z' }],
])('only people decide %j', (subject) => {
  expect(policySubjectOf(subject, about)).toBeNull()
  expect(proposalOf(subject, about)).toBeNull()
})

describe('"always"', () => {
  const always = (text: string) => proposalOf({ kind: 'command', command: text, cwd: '/work/shop' }, about)
  it('means exactly these words', () => {
    expect(always('npm  run "lint"')).toEqual({ kind: 'command', pattern: 'npm run lint' })
    expect(always("grep 'a b' src")).toEqual({ kind: 'command', pattern: "grep 'a b' src" })
    expect(proposalOf(diff('x', '/work/shop/a.ts'), about)).toEqual({ kind: 'write', pattern: 'a.ts' })
    expect(proposalOf(permission({ kind: 'read', args: { path: 'a.ts' } }), about)).toEqual({
      kind: 'read',
      pattern: 'a.ts',
    })
    expect(proposalOf({ kind: 'tool', tool: 't', input: {} }, about)).toEqual({ kind: 'tool', pattern: 't' })
  })

  it('means exactly this file if a tool is used on one', () => {
    const used = (tool: string) => proposalOf({ kind: 'tool', tool, input: { path: 'src/a.ts' } }, about)
    expect(used('Edit')).toEqual({ kind: 'write', pattern: 'src/a.ts' })
    expect(used('t')).toEqual({ kind: 'write', pattern: 'src/a.ts' })
    expect(used('read_file')).toEqual({ kind: 'read', pattern: 'src/a.ts' })
  })

  it('answers the same again, and nothing wider', () => {
    const rule = proposalOf({ kind: 'tool', tool: 'Edit', input: { path: 'src/a.ts' } }, about)
    const { policy } = compilePolicy(null, [], rule ? [rule] : [])
    const ruleFor = (filePath?: string) =>
      judge(policy, { kind: 'tool', tool: 'Edit', ...(filePath !== undefined && { filePath }) }, 'low')
    expect(ruleFor('src/a.ts')).toBe('file_pattern:write:src/a.ts')
    expect(ruleFor('src/b.ts')).toBeNull()
    expect(ruleFor()).toBeNull()
  })

  it.each(['sudo id', 'sh x.sh', 'npm test; id', 'rm *.tmp', 'echo $X', 'X=1 npm test', 'npm test > x', ''])(
    'makes no rule for %s',
    (text) => expect(always(text)).toBeNull(),
  )

  it('makes no rule for what is never automatic, or for several files', () => {
    expect(proposalOf(diff('x', '.envrc'), about)).toBeNull()
    expect(proposalOf(diff('x', '.git/config'), about)).toBeNull()
    expect(proposalOf(diff('x', 'a', ['a', 'b']), about)).toBeNull()
    expect(proposalOf({ kind: 'tool', tool: 't', input: { path: '.git/x' } }, about)).toBeNull()
    const prompt = { kind: 'prompt', text: 'x', elapsedSeconds: null, actionsTaken: null } as const
    expect(proposalOf({ ...prompt, promptType: 'error_recovery' }, about)).toBeNull()
    expect(proposalOf({ ...prompt, promptType: 'continuation' }, about)).toEqual({
      kind: 'tool',
      pattern: 'forward_prompt',
    })
  })
})
