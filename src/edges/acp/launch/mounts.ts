import { isWithin } from './paths.ts'

/**
 * One path that the sandbox shows differently from its surroundings: an empty private directory (`hide`), an empty file
 * (`blank`), a directory that only exists (`make`), nothing (`void`), a symlink, or the real content, read-only or
 * writable.
 */
export type Mount =
  | { readonly kind: 'hide' | 'make' | 'void'; readonly at: string }
  | { readonly kind: 'blank'; readonly at: string; readonly pinned?: true }
  | { readonly kind: 'link'; readonly at: string; readonly to: string }
  | { readonly kind: 'read' | 'write'; readonly at: string; readonly from: string; readonly pinned?: true }

const depth = (path: string): number => (path === '/' ? 0 : path.split('/').length)

/** The mount that determines what is seen at a path; undefined means the read-only system. */
export const deciding = (mounts: readonly Mount[], path: string): Mount | undefined =>
  mounts.filter(({ at }) => isWithin(at, path)).toSorted((one, other) => depth(other.at) - depth(one.at))[0]

const isEmpty = (mount: Mount | undefined): boolean => mount?.kind === 'hide' || mount?.kind === 'make'

export function isHidden(mounts: readonly Mount[], path: string): boolean {
  const mount = deciding(mounts, path)
  return isEmpty(mount) || mount?.kind === 'void'
}

/**
 * The order in which to mount. Deeper paths come later and win: a data directory in a workspace is hidden, a workspace
 * in a data directory is not. Of two at the same path, the later in the list wins.
 */
export function arrange(mounts: readonly Mount[]): Mount[] {
  const last = new Map(mounts.map((mount) => [mount.at, mount]))
  const ordered = [...last.values()].toSorted((one, other) => depth(one.at) - depth(other.at))
  const kept: Mount[] = []
  for (const mount of ordered) if (isNeeded(mount, deciding(kept, mount.at))) kept.push(mount)
  return kept
}

function isNeeded(mount: Mount, below: Mount | undefined): boolean {
  switch (mount.kind) {
    case 'void':
      return true
    case 'make':
      return isEmpty(below)
    case 'hide':
      return !isEmpty(below)
    case 'blank':
      return mount.pinned === true || (!isEmpty(below) && below?.kind !== 'void')
    case 'link':
      return isEmpty(below) || below?.kind === 'void'
    default: {
      const same = below?.kind === mount.kind && 'from' in below && below.from === below.at && mount.from === mount.at
      return !same || mount.pinned === true
    }
  }
}

export function mountArguments(mounts: readonly Mount[]): string[] {
  return mounts.flatMap((mount) => {
    switch (mount.kind) {
      case 'hide':
      case 'void':
        return ['--tmpfs', mount.at]
      case 'make':
        return ['--dir', mount.at]
      case 'link':
        return ['--symlink', mount.to, mount.at]
      case 'blank':
        return ['--ro-bind', '/dev/null', mount.at]
      case 'read':
        return ['--ro-bind', mount.from, mount.at]
      case 'write':
        return ['--bind', mount.from, mount.at]
      default:
        return mount satisfies never
    }
  })
}
