import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { probeBubblewrap } from '../../../lib/bubblewrap.ts'
import { mountCheck, rootOf } from './mount-check.ts'

describe('the path within its own file system', () => {
  const mounted = [
    { root: '/', at: '/' },
    { root: '/@home', at: '/home' },
    { root: '/', at: '/home/a b' },
    { root: '/volumes/work', at: '/work' },
    { root: '/other', at: '/work' },
  ]

  it.each([
    ['/srv/x', '/srv/x'],
    ['/home/you/x', '/@home/you/x'],
    ['/home/a b/x', '/x'],
    ['/work/x', '/other/x'],
    ['/workspace/x', '/workspace/x'],
    ['/home', '/@home'],
  ])('%s is %s', (path, root) => {
    expect(rootOf(mounted, path)).toBe(root)
  })

  it('is unknown if nothing is mounted', () => {
    expect(rootOf([], '/x')).toBeNull()
  })
})

const bubblewrap = await probeBubblewrap(process.env['PATH'] ?? '', process.getuid?.() === 0)

describe.runIf(bubblewrap.works)('a mount below a workspace', () => {
  it('that a link led elsewhere is noticed before anything runs', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'mount check-')))
    const [home, work] = [join(folder, 'home'), join(folder, 'work')]
    const at = join(work, 'sub', '.claude')
    await mkdir(home)
    await mkdir(at, { recursive: true })
    await writeFile(join(home, 'private'), 'private')
    const check = await mountCheck([{ kind: 'read', at, from: at }])
    const run = (before: readonly string[]) => {
      const program = bubblewrap.works ? bubblewrap.program : ''
      const system = ['/usr', '/bin', '/lib', '/lib64'].flatMap((path) => ['--ro-bind-try', path, path])
      const mounts = ['--tmpfs', '/', ...system, '--proc', '/proc', '--dir', home, '--bind', work, work]
      const args = ['--unshare-user', ...mounts, '--ro-bind', at, at, '--', ...before, '/bin/ls', home]
      return spawnSync(program, args, { encoding: 'utf8' })
    }
    expect(run(check)).toMatchObject({ status: 0, stdout: '' })
    await rename(join(work, 'sub'), join(work, 'away'))
    await mkdir(join(work, 'sub'))
    await symlink('../../home', at)
    expect(run([]).stdout).toBe('private\n')
    expect(run(check)).toMatchObject({ status: 126, stdout: '' })
    await rm(folder, { recursive: true })
  })
})
