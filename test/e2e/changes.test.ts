import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'

type Started = { id: string; workspaceRoot: string }

describe('the tab Changes', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()

  it.for(['desktop', 'phone'] as const)('B16 a change is seen, committed and merged on a %s', async (size, context) => {
    const body = {
      agent: 'practice',
      repoId: dashboard.repo.id,
      worktree: true,
      isolation: 'none',
      prompt: '/say Hello',
    }
    const { id, workspaceRoot } = await dashboard.owner.post<Started>('/api/sessions', body)
    await writeFile(join(workspaceRoot, `${size}.txt`), 'A new train\n')
    await using opened = await dashboard.open(context, { size, path: `/sessions/${id}/changes` })
    const { page, complaints } = opened
    await page.getByText('A new train').first().waitFor()
    const shots = process.env['SIGNALBOX_SHOTS']
    if (shots !== undefined) {
      mkdirSync(shots, { recursive: true })
      await page.screenshot({ path: join(shots, `changes-${size}.png`) })
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
    await page.getByLabel('Commit message').fill(`Add a train on a ${size}`)
    await page.getByRole('button', { name: 'Commit 1 file' }).click()
    await page.getByRole('button', { name: /^Merge into/ }).click()
    await page.getByText('merged', { exact: true }).waitFor()
    expect(git(dashboard.repo.path, 'log', '-1', '--format=%s')).toBe(`Add a train on a ${size}`)
    expect(git(dashboard.repo.path, 'status', '--porcelain')).toBe('')
    expect(complaints).toEqual([])
  })

  it('B16 a worktree is offered where another agent works', async (context) => {
    await dashboard.start('/say Hello')
    await using opened = await dashboard.open(context, { path: `/sessions/new?repo=${dashboard.repo.id}` })
    const { page, complaints } = opened
    await page.getByRole('button', { name: 'Use a separate worktree' }).click()
    await page.getByText('Confinement, worktree, budget, sign-in').click()
    expect(await page.getByLabel('In a separate Git worktree').isChecked()).toBe(true)
    expect(complaints).toEqual([])
  })

  it('B16 a worktree with work is removed only when confirmed', async (context) => {
    const body = { agent: 'practice', repoId: dashboard.repo.id, worktree: true, isolation: 'none' }
    const { id, workspaceRoot } = await dashboard.owner.post<Started>('/api/sessions', body)
    await writeFile(join(workspaceRoot, 'loose.txt'), 'loose\n')
    await dashboard.owner.post(`/api/sessions/${id}/complete`, {})
    await using opened = await dashboard.open(context, { path: `/sessions/${id}/changes` })
    const { page } = opened
    await page.getByRole('button', { name: 'Remove worktree…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove the worktree?' })
    await dialog.getByText('It has uncommitted changes.').waitFor()
    expect(existsSync(workspaceRoot)).toBe(true)
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('The workspace is gone').waitFor()
    expect(existsSync(workspaceRoot)).toBe(false)
  })

  it('B16 a conflict is shown', async (context) => {
    const body = { agent: 'practice', repoId: dashboard.repo.id, worktree: true, isolation: 'none' }
    const { id, workspaceRoot } = await dashboard.owner.post<Started>('/api/sessions', body)
    await writeFile(join(workspaceRoot, 'README.md'), '# Theirs\n')
    await dashboard.owner.post(`/api/sessions/${id}/commit`, {})
    await writeFile(join(dashboard.repo.path, 'README.md'), '# Ours\n')
    git(dashboard.repo.path, '-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', '-qam', 'ours')
    await using opened = await dashboard.open(context, { path: `/sessions/${id}/changes` })
    const { page } = opened
    await page.getByRole('button', { name: 'Rebase and merge' }).click()
    const dialog = page.getByRole('dialog', { name: 'The same lines were changed' })
    await dialog.getByText('# Theirs').waitFor()
    await dialog.getByText('# Ours').waitFor()
    expect(git(dashboard.repo.path, 'log', '-1', '--format=%s')).toBe('ours')
  })
})
