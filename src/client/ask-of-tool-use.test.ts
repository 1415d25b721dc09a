import { applyPatch } from 'diff'
import { describe, expect, it } from 'vitest'
import { askOfToolUse, type ToolPlace } from './ask-of-tool-use.ts'

const files: Record<string, string | null> = {
  '/work/shop/a.txt': 'one\ntwo\none\n',
  '/work/shop/crlf.txt': 'one\r\ntwo\r\n',
  '/work/shop/picture.png': null,
  '/etc/hosts': '127.0.0.1\n',
}
const links: Record<string, string> = { '/work/shop/link.txt': '/etc/hosts' }

const place: ToolPlace = {
  workspaceRoot: '/work/shop',
  cwd: '/work/shop/src',
  look: async (path) => {
    const real = links[path] ?? path
    return { real, exists: real in files, text: files[real] ?? null }
  },
}
const ask = (tool: string, input: unknown) => askOfToolUse({ tool, input }, place)
const diffOf = async (tool: string, input: unknown) => {
  const { subject } = await ask(tool, input)
  return subject.kind === 'diff' ? subject.diff : subject
}

describe('the ask for a Claude Code tool', () => {
  it('is the command and where it runs, for Bash', async () => {
    const asked = await ask('Bash', { command: 'npm test', description: 'Run the tests' })
    expect(asked).toEqual({
      title: 'Run npm test',
      description: 'Run the tests',
      riskLevel: 'low',
      subject: { kind: 'command', command: 'npm test', cwd: '/work/shop/src' },
    })
  })

  it('is high risk if the command leaves the sandbox', async () => {
    const asked = await ask('Bash', { command: 'make', dangerouslyDisableSandbox: true, run_in_background: true })
    expect(asked).toMatchObject({ riskLevel: 'high', description: expect.stringContaining('sandbox') })
  })

  it('has a title of one line, however long the command is', async () => {
    const { title } = await ask('Bash', { command: `cat <<EOF\n${'x'.repeat(5000)}\nEOF` })
    expect(title).not.toContain('\n')
    expect(title.length).toBeLessThanOrEqual(200)
  })

  it('is a diff for Write: against the file, or against nothing', async () => {
    const change = await ask('Write', { file_path: '/work/shop/a.txt', content: 'one\n' })
    expect(change).toMatchObject({ title: 'Overwrite a.txt', subject: { kind: 'diff', filePath: 'a.txt' } })
    const made = await ask('Write', { file_path: 'new.txt', content: 'x\n' })
    expect(made).toMatchObject({ title: 'Create src/new.txt', riskLevel: 'low', description: null })
    expect(made.subject).toMatchObject({ diff: '--- /dev/null\n+++ b/src/new.txt\n@@ -0,0 +1 @@\n+x\n' })
  })

  it('is a diff for Edit: the first place, or all', async () => {
    const edit = { file_path: '/work/shop/a.txt', old_string: 'one', new_string: '$& costs' }
    expect(await diffOf('Edit', edit)).toContain('-one\n+$& costs\n two\n one\n')
    expect(await diffOf('Edit', { ...edit, replace_all: true })).toContain('-one\n+$& costs\n two\n-one\n+$& costs\n')
  })

  it('is one diff for the edits of MultiEdit, applied in order', async () => {
    const edits = [
      { old_string: 'one', new_string: 'three' },
      { old_string: 'three\ntwo', new_string: 'four' },
    ]
    const { subject } = await ask('MultiEdit', { file_path: '/work/shop/a.txt', edits })
    expect(subject.kind === 'diff' && applyPatch('one\ntwo\none\n', subject.diff)).toBe('four\none\n')
  })

  it('finds the text of an Edit in a file with carriage returns', async () => {
    const edit = { file_path: '/work/shop/crlf.txt', old_string: 'one\ntwo', new_string: 'three' }
    expect(await diffOf('Edit', edit)).toContain('+three')
  })

  it('is the tool with its input if the edit does not apply, or the file is not text', async () => {
    const misfit = { file_path: '/work/shop/a.txt', old_string: 'nowhere', new_string: 'x' }
    expect(await ask('Edit', misfit)).toMatchObject({ subject: { kind: 'tool', tool: 'Edit', input: misfit } })
    const picture = { file_path: '/work/shop/picture.png', content: 'x' }
    expect(await ask('Write', picture)).toMatchObject({ subject: { kind: 'tool', tool: 'Write', input: picture } })
  })

  it.each([
    ['outside the workspace', '/etc/hosts'],
    ['outside, by dots', '/work/shop/../../etc/hosts'],
    ['outside, through a link', '/work/shop/link.txt'],
    ['next to the workspace, with a name that starts the same', '/work/shop-two/a.txt'],
    ['in the settings of Claude Code', '/work/shop/.claude/settings.json'],
    ['in the policy', '/work/shop/.signalbox/settings.json'],
    ['in the hooks of Git', '/work/shop/.GIT/hooks/pre-commit'],
  ])('is critical for a file %s, which no rule then approves', async (_where, file_path) => {
    expect(await ask('Write', { file_path, content: 'x\n' })).toMatchObject({ riskLevel: 'critical' })
  })

  it('is the tool and its input for everything else, and for unexpected input', async () => {
    const asked = await ask('WebFetch', { url: 'https://example.org' })
    expect(asked).toMatchObject({
      title: 'Use WebFetch',
      subject: { kind: 'tool', tool: 'WebFetch', input: { url: 'https://example.org' } },
    })
    expect(await ask('Bash', { script: 'x' })).toMatchObject({ subject: { kind: 'tool', tool: 'Bash' } })
    expect(await ask('Write', null)).toMatchObject({ subject: { kind: 'tool', tool: 'Write', input: null } })
  })

  it('shows the plan to start with', async () => {
    expect(await ask('ExitPlanMode', { plan: '1. Do it' })).toMatchObject({
      title: 'Begin with the plan',
      description: '1. Do it',
    })
  })
})
