import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { barriers, endTransitions, overflow } from '../support/dashboard-barriers.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'

const pictures = process.env['SIGNALBOX_PICTURES']
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd })
    .toString()
    .trim()

/** Has no pull requests, and opens every one. */
const gh = `#!/bin/sh
case "$2" in
  list) echo '[]' ;;
  create) echo https://github.com/acme/depot/pull/12 ;;
esac
`

describe('a pull request', () => {
  let dashboard: Dashboard
  let folder: string
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'sbq-')))
    await mkdir(join(folder, 'bin'))
    await writeFile(join(folder, 'bin', 'gh'), gh)
    await chmod(join(folder, 'bin', 'gh'), 0o755)
    git(folder, 'init', '--quiet', '--bare', 'depot.git')
    const operator = join(folder, 'gitconfig')
    await writeFile(operator, `[url "file://${folder}/"]\n\tinsteadOf = https://github.com/acme/\n`)
    dashboard = await openDashboard({
      env: { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, GIT_CONFIG_GLOBAL: operator },
    })
    git(dashboard.repo.path, 'remote', 'add', 'origin', 'https://github.com/acme/depot.git')
  }, 60_000)
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  it.for(['desktop', 'phone'] as const)('B16 looked at, agreed to and opened on a %s', async (size, context) => {
    const { id, workspaceRoot } = await dashboard.start('/say Hello', { worktree: true })
    await writeFile(join(workspaceRoot, 'fence.txt'), 'green\n')
    git(workspaceRoot, 'add', '.')
    git(workspaceRoot, 'commit', '--quiet', '--message=Paint the fence')
    await using opened = await dashboard.open(context, {
      path: `/sessions/${id}/changes`,
      size,
      context: { reducedMotion: 'reduce' },
    })
    const { page, complaints } = opened
    const look = async (name: string) => {
      if (pictures) await page.screenshot({ path: join(pictures, `${size}-${name}.png`) })
    }
    const button = page.getByRole('button', { name: 'Pull request…' })
    await button.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    const title = dialog.getByLabel('Title')
    await title.waitFor()
    expect(await title.inputValue()).toBe('Paint the fence')
    await title.fill('Paint it green')
    await look('pull-request')
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByText('"--title=Paint it green"').waitFor()
    await look('pull-request-steps')
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.evaluate(endTransitions)
      expect.soft({ scheme, barriers: await barriers(page, scheme) }).toEqual({ scheme, barriers: [] })
    }
    expect(await overflow(page)).toEqual([])
    const branch = `refs/heads/signalbox/${id.slice(0, 8)}`
    expect(git(join(folder, 'depot.git'), 'for-each-ref', branch)).toBe('')
    await dialog.getByRole('button', { name: 'Push and open' }).click()
    await dialog.getByRole('link', { name: 'https://github.com/acme/depot/pull/12' }).waitFor()
    await look('pull-request-opened')
    expect(git(join(folder, 'depot.git'), 'rev-parse', branch)).toBe(git(workspaceRoot, 'rev-parse', 'HEAD'))
    expect(complaints).toEqual([])
  })
})
