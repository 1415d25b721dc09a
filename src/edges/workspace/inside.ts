import { isAbsolute, relative } from 'node:path'

export const isInside = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way))
}

const kept = new Set(['.git', '.signalbox', '.monocoque'])

// Some file systems ignore case and these characters in names: `.GIT` is `.git` there.
const ignored = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g

/** The part of a path that only Git or Signalbox may write to, or null. Also in nested repos. */
export const reservedPart = (root: string, path: string): string | null =>
  relative(root, path)
    .split('/')
    .find((name) => kept.has(name.normalize('NFKC').replaceAll(ignored, '').toLowerCase())) ?? null
