import { describe, expect, it } from 'vitest'
import { arrange, isHidden, mountArguments, type Mount } from './mounts.ts'

const hide = (at: string): Mount => ({ kind: 'hide', at })
const write = (at: string, from = at): Mount => ({ kind: 'write', at, from })
const read = (at: string): Mount => ({ kind: 'read', at, from: at })
const words = (mounts: readonly Mount[]): string => mountArguments(arrange(mounts)).join(' ')

describe('what the sandbox shows', () => {
  it('is decided by the deepest mount, whatever the order', () => {
    const inWorkspace = '--tmpfs /home --bind /home/a/ws /home/a/ws --tmpfs /home/a/ws/data'
    expect(words([hide('/home/a/ws/data'), write('/home/a/ws'), hide('/home')])).toBe(inWorkspace)
    const inData = '--tmpfs /data --bind /data/trees/a /data/trees/a'
    expect(words([write('/data/trees/a'), hide('/data')])).toBe(inData)
  })

  it('uses the last mount at a path', () => {
    expect(words([hide('/tmp'), write('/tmp')])).toBe('--bind /tmp /tmp')
  })

  it('leaves out mounts that make no difference', () => {
    expect(words([hide('/home'), hide('/home/a/data'), { kind: 'blank', at: '/home/a/x' }])).toBe('--tmpfs /home')
    expect(words([write('/ws'), write('/ws/sub'), { kind: 'make', at: '/ws/tmp' }])).toBe('--bind /ws /ws')
    expect(words([write('/ws', '/real'), write('/ws/sub')])).toBe('--bind /real /ws --bind /ws/sub /ws/sub')
  })

  it('keeps what must stay in place, and what is read-only', () => {
    const pinned: Mount = { kind: 'write', at: '/ws/.git', from: '/ws/.git', pinned: true }
    expect(words([read('/ws/.git/config'), pinned, write('/ws')])).toBe(
      '--bind /ws /ws --bind /ws/.git /ws/.git --ro-bind /ws/.git/config /ws/.git/config',
    )
  })

  it('has empty directories where a directory must exist', () => {
    expect(words([hide('/home'), { kind: 'make', at: '/home/a' }])).toBe('--tmpfs /home --dir /home/a')
    expect(words([write('/ws'), { kind: 'blank', at: '/ws/config.toml' }])).toContain(
      '--ro-bind /dev/null /ws/config.toml',
    )
  })

  it('reports what is hidden', () => {
    const mounts = arrange([hide('/home'), write('/home/a/ws')])
    expect(
      ['/home/a', '/home/a/ws', '/home/a/ws/x', '/home/a/wsx', '/homer', '/etc'].map((path) => isHidden(mounts, path)),
    ).toEqual([true, false, false, true, false, false])
  })

  it('is only what is named, if it starts from nothing', () => {
    const mounts = [
      { kind: 'void', at: '/' } as const,
      read('/usr'),
      { kind: 'link', at: '/bin', to: 'usr/bin' } as const,
      hide('/tmp'),
      { kind: 'blank', at: '/srv/config' } as const,
      { kind: 'blank', at: '/proc/keys', pinned: true } as const,
    ]
    expect(words(mounts)).toBe(
      '--tmpfs / --ro-bind /usr /usr --symlink usr/bin /bin --tmpfs /tmp --ro-bind /dev/null /proc/keys',
    )
    expect(['/srv', '/usr/lib', '/tmp/x', '/work'].map((path) => isHidden(arrange(mounts), path))).toEqual([
      true,
      false,
      true,
      true,
    ])
  })
})
