import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** Everything in a directory but Git's own: kinds, contents, modes, targets, also of what is ignored. */
export async function picture(root: string): Promise<Record<string, string>> {
  const seen: Record<string, string> = {}
  const look = (at: string) => {
    for (const name of readdirSync(join(root, at)).sort()) {
      if (name === '.git') continue
      const path = join(at, name)
      const status = lstatSync(join(root, path))
      const mode = (status.mode & 0o777).toString(8)
      if (status.isSymbolicLink()) seen[path] = `link to ${readlinkSync(join(root, path))}`
      else if (status.isDirectory()) {
        seen[path] = `directory ${mode}`
        look(path)
      } else if (status.isFile()) seen[path] = `file ${mode} ${readFileSync(join(root, path), 'hex')}`
      else seen[path] = `special ${mode}`
    }
  }
  look('')
  return seen
}

type Change = (at: (path: string) => string) => void
const changes: Readonly<Record<string, Change>> = {
  removed: (at) => rmSync(at('a.txt')),
  'removed with its directories': (at) => rmSync(at('deep'), { recursive: true }),
  'emptied directory': (at) => rmSync(at('sub/b.bin')),
  'file that became a directory': (at) => {
    rmSync(at('swapped'))
    mkdirSync(at('swapped/within'), { recursive: true })
    writeFileSync(at('swapped/within/new.txt'), 'new')
    writeFileSync(at('swapped/ignored.log'), 'ignored')
    mkdirSync(at('swapped/empty'), { mode: 0o700 })
  },
  'file that became an empty directory': (at) => {
    rmSync(at('run.sh'))
    mkdirSync(at('run.sh'), { mode: 0o711 })
  },
  'directory that became a file': (at) => {
    rmSync(at('folder'), { recursive: true })
    writeFileSync(at('folder'), 'a file now', { mode: 0o640 })
  },
  'directory that became a link': (at) => {
    rmSync(at('sub'), { recursive: true, force: true })
    symlinkSync('/etc', at('sub'))
  },
  'link that leads elsewhere': (at) => {
    rmSync(at('link'))
    symlinkSync('run.sh', at('link'))
  },
  'removed link': (at) => rmSync(at('link'), { force: true }),
  'file that became a pipe': (at) => {
    rmSync(at('a.txt'), { force: true })
    execFileSync('mkfifo', ['-m', '600', at('a.txt')])
  },
  'new files and empty directories': (at) => {
    mkdirSync(at('fresh/empty'), { recursive: true })
    mkdirSync(at('fresh/full'), { mode: 0o750 })
    writeFileSync(at('fresh/full/new.txt'), 'new', { mode: 0o600 })
  },
  'other modes': (at) => {
    if (lstatSync(at('run.sh')).isFile()) chmodSync(at('run.sh'), 0o600)
  },
  'other contents': (at) => writeFileSync(at('.gitignore'), 'ignored/\n*.log\n# more\n'),
}

/** About half of these changes, the same ones for the same seed. */
export async function makeMess(root: string, seed: number): Promise<void> {
  let state = seed
  for (const [name, change] of Object.entries(changes)) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    // The first two seeds make each change at least once.
    const isWanted = seed === 1 || (seed === 2 ? !name.startsWith('removed') : (state >>> 20) % 2 === 0)
    if (isWanted) change((path) => join(root, path))
  }
}
