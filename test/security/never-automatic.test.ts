import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { McpHarness } from '../conformance/mcp-harness.ts'
import { openOperationsHarness } from '../conformance/operations-harness.ts'
import { openAsk, startSession } from '../conformance/work.ts'

/** Settings that a hook manager, shell, editor, agent, package manager or CI obeys without asking. */
const files = [
  'lefthook.yml lefthook.jsonc lefthook.toml lefthook lefthook-local.yml lefthook-local.toml lefthook-local.jsonc',
  '.lefthook.json .lefthook-local.yaml .config/lefthook.yml',
  '.lintstagedrc .lintstagedrc.js .lintstagedrc.mjs .lintstagedrc.cjs .lintstagedrc.yaml lint-staged.config.js',
  'lint-staged.config.mjs .huskyrc.js husky.config.js .simple-git-hooks.cjs simple-git-hooks.json .overcommit.yml',
  '.pre-commit-config.yaml .pre-commit-config.yml .commitlintrc.js commitlint.config.mjs .husky/pre-push',
  'mise.toml .mise.toml mise.local.toml .mise.local.toml mise.ci.toml mise/config.toml .mise/config.toml',
  '.config/mise/config.toml .config/mise.toml .tool-versions .envrc .direnv/x .rtx.toml',
  '.helix/languages.toml .vscode/tasks.json .devcontainer.json .devcontainer/devcontainer.json sub/.devcontainer.json',
  'a.code-workspace .idea/x.xml .zed/tasks.json .nvim.lua .exrc .lazy.lua .dir-locals.el',
  'crush.json .crush.json .claude.json .mcp.json opencode.json opencode.jsonc .claude/settings.json .crush/x .kiro/x',
  '.kilocode/x .copilot/x .junie/guidelines.md .roomodes .cursor/mcp.json .aider.conf.yml',
  '.npmrc .yarnrc .yarnrc.yml .yarn/releases/yarn.cjs .pnpmfile.cjs .pnpmfile.mjs bunfig.toml pip.conf .pypirc',
  '.cargo/config.toml .bundle/config .mvn/jvm.config .bazelrc .gemrc sitecustomize.py .gdbinit .irbrc',
  '.github/workflows/ci.yml .github/actions/x/action.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile',
  'azure-pipelines.yml bitbucket-pipelines.yml .drone.yml .forgejo/workflows/x.yml',
  '.signalbox/settings.json .git/config .gitmodules .gitattributes LEFTHOOK.YML Mise.toml .NPMRC sub/deep/.npmrc',
].flatMap((line) => line.split(' '))

describe('files that programs act on', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness({ config: '[commands]\nshow = "cat *"\n' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function work(settings: Record<string, unknown>) {
    const place = await harness.place()
    await place.policy({ enabled: true, risk_level_threshold: 'high', ...settings })
    const agent = harness.server.api(harness.token)
    const session = await startSession(agent, { workspaceRoot: place.path })
    const ask = async (subject: object) => (await openAsk(agent, session, { subject })).status
    return { place, ask }
  }

  it('S7 are never automatic, whatever the patterns say', async () => {
    const { place, ask } = await work({
      commands: ['*'],
      tools: ['write_file'],
      file_patterns: { write: ['**', '**/.*', '.*', '.*/**', '**/.*/**', '.config/**', '.github/**'] },
    })
    expect(await ask({ kind: 'diff', filePath: 'plain.txt', diff: 'x\n' })).toBe('answered')
    expect(await ask({ kind: 'command', command: 'cat plain.txt', cwd: place.path })).toBe('answered')
    const through: string[] = []
    for (const path of files) {
      if ((await ask({ kind: 'diff', filePath: path, diff: 'x\n' })) !== 'open') through.push(`diff ${path}`)
      if ((await ask({ kind: 'tool', tool: 'write_file', input: { path } })) !== 'open') through.push(`tool ${path}`)
      if ((await ask({ kind: 'command', command: `cat ${path}`, cwd: place.path })) !== 'open')
        through.push(`command ${path}`)
    }
    expect(through).toEqual([])
  })

  it('S7 docs/** does not cover a file called docs', async () => {
    const { ask } = await work({ file_patterns: { write: ['docs/**', 'src/'], read: ['{a/**,b}'] } })
    const writes = (filePath: string) => ask({ kind: 'diff', filePath, diff: 'x\n' })
    expect([await writes('docs/a'), await writes('src/b/c')]).toEqual(['answered', 'answered'])
    expect([await writes('docs'), await writes('src')]).toEqual(['open', 'open'])
    expect(await ask({ kind: 'tool', tool: 'read_file', input: { path: 'a' } })).toBe('open')
  })
})
