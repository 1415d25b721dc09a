import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { noSandbox, places, shell, type Places } from './support.ts'

const person = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.org']
const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', [...person, ...args], { cwd, encoding: 'utf8' })

async function repository(at: Places): Promise<void> {
  git(at.workspace, 'init', '-q')
  await writeFile(join(at.workspace, 'a.txt'), 'a\n')
  git(at.workspace, 'add', '.')
  git(at.workspace, 'commit', '-qm', 'first')
}

/** Reports for each path whether it could be written. */
const attempts = (...paths: string[]): string =>
  paths.map((path) => `{ echo x > ${path}; } 2>/dev/null && echo written || echo refused`).join('; ')

describe.skipIf(noSandbox)('a repository in the sandbox', () => {
  it('can be committed to, as the person who started the agent', async () => {
    await using at = await places()
    await repository(at)
    await writeFile(
      join(at.home, '.gitconfig'),
      '[user]\nname = Ann\nemail = ann@example.org\n[http]\nextraHeader = hidden\n',
    )
    const said = await shell(
      at,
      'cat ~/.gitconfig 2>/dev/null; echo b > b.txt; git add . && git commit -qm second; git config --list',
    )
    expect(said).not.toContain('hidden')
    expect(git(at.workspace, 'log', '-1', '--format=%s by %an <%ae>')).toBe('second by Ann <ann@example.org>\n')
  })

  it('keeps its hooks and configuration, which Git would run outside, read-only', async () => {
    await using at = await places()
    await repository(at)
    const before = await readFile(join(at.workspace, '.git/config'), 'utf8')
    expect(
      await shell(at, attempts('.git/hooks/pre-commit', '.git/config', '.git/hooks/a.sample', '.git/description')),
    ).toBe('refused\nrefused\nrefused\nwritten')
    expect(
      await shell(
        at,
        '{ rm -rf .git/hooks || mv .git gone || git config core.fsmonitor ./x; } 2>/dev/null || echo refused',
      ),
    ).toBe('refused')
    expect(await readFile(join(at.workspace, '.git/config'), 'utf8')).toBe(before)
    expect(existsSync(join(at.workspace, '.git/hooks/pre-commit'))).toBe(false)
  })

  it('without a hooks directory does not allow creating one', async () => {
    await using at = await places()
    await repository(at)
    await rm(join(at.workspace, '.git/hooks'), { recursive: true })
    expect(await shell(at, `mkdir -p .git/hooks; ${attempts('.git/hooks/pre-commit')}`)).toBe('refused')
  })

  it('that is a worktree writes to the shared one, except hooks, configuration and its location', async () => {
    await using at = await places()
    await repository(at)
    const workspace = join(at.root, 'tree')
    git(at.workspace, 'worktree', 'add', '-q', workspace)
    const shared = join(at.workspace, '.git')
    const extra = { workspace, extraWritable: [shared] }
    const own = join(shared, 'worktrees', 'tree')
    const script = `echo b > b.txt; git add . && git -c user.name=A -c user.email=a@b.c commit -qm second; ${attempts(
      '.git',
      `${shared}/hooks/pre-commit`,
      `${shared}/config`,
      `${own}/commondir`,
      `${own}/gitdir`,
    )}`
    expect(await shell(at, script, {}, extra)).toBe('refused\nrefused\nrefused\nrefused\nrefused')
    expect(git(workspace, 'log', '-1', '--format=%s')).toBe('second\n')
    expect(git(at.workspace, 'log', '-1', '--format=%s')).toBe('first\n')
  })

  it('protects the hooks of its submodules', async () => {
    await using at = await places()
    await repository(at)
    const module = join(at.workspace, '.git/modules/group/part')
    await mkdir(join(module, 'hooks'), { recursive: true })
    await mkdir(join(module, 'objects'))
    for (const file of ['HEAD', 'config']) await writeFile(join(module, file), '')
    expect(await shell(at, attempts(`${module}/hooks/pre-commit`, `${module}/config`, `${module}/index`))).toBe(
      'refused\nrefused\nwritten',
    )
  })

  it('opens nothing that its links point to', async () => {
    await using at = await places()
    await repository(at)
    await writeFile(join(at.home, 'secret'), 'hidden')
    const config = join(at.workspace, '.git/config.worktree')
    await symlink(join(at.home, 'secret'), config)
    expect(await shell(at, `cat ${config} ~/secret 2>/dev/null || echo nothing`)).toBe('nothing')
  })
})
