import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, plainAgent, type AgentsHarness } from '../conformance/agents-harness.ts'
import { sandboxWorks } from '../support/agents/processes.ts'

describe.runIf(sandboxWorks())('S4 links that an agent, or a clone, left in a workspace', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ config: plainAgent('plain') })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('the start of a sandbox writes nothing through a link that replaced an agent’s directory', async () => {
    const [place, elsewhere] = [await harness.workspace(), await harness.workspace()]
    await symlink(elsewhere, join(place, '.opencode'))
    const session = await harness.start({ agent: 'plain', workspaceRoot: place, isolation: 'sandbox' })
    expect(session.isolation).toBe('sandbox')
    expect(await readdir(elsewhere)).toEqual([])
  })

  it('nor through one in a repository that the agent made', async () => {
    const [place, elsewhere] = [await harness.workspace(), await harness.workspace()]
    const git = join(place, '.git')
    for (const name of ['objects', 'refs', 'hooks']) await mkdir(join(git, name), { recursive: true })
    await writeFile(join(git, 'HEAD'), 'ref: refs/heads/main\n')
    await writeFile(join(git, 'config'), '[core]\n\tbare = false\n[extensions]\n\tworktreeConfig = true\n')
    await mkdir(join(elsewhere, 'somewhere'))
    await symlink(elsewhere, join(git, 'worktrees'))
    const session = await harness.start({ agent: 'plain', workspaceRoot: place, isolation: 'sandbox' })
    expect(session.isolation).toBe('sandbox')
    expect(await readdir(join(elsewhere, 'somewhere'))).toEqual([])
  })
})
