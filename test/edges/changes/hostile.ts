import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Everything in a workspace that could lead a write elsewhere. */
export function layTraps(root: string, outside: string): void {
  for (const directory of ['src', '.git/hooks', '.signalbox', '.monocoque', 'sub/.git', 'real/deep'])
    mkdirSync(join(root, directory), { recursive: true })
  for (const file of [
    'src/a.txt',
    '.git/config',
    '.signalbox/settings.json',
    '.monocoque/x',
    'sub/.git/config',
    'real/f',
  ])
    writeFileSync(join(root, file), 'inside\n')
  const links: Record<string, string> = {
    out: outside,
    'out-file': join(outside, 'secret'),
    'out-dangling': join(outside, 'none'),
    'out-dangling-deep': join(outside, 'none/none'),
    up: '..',
    'up-twice': '../..',
    'up-file': '../outside/secret',
    'up-dangling': '../outside/none',
    rootward: '/',
    etc: '/etc',
    proc: '/proc/self/root',
    'proc-cwd': '/proc/self/cwd',
    'proc-fd': '/proc/self/fd',
    dev: '/dev',
    hop: 'hop-2',
    'hop-2': 'hop-3',
    'hop-3': '../outside',
    round: 'round',
    'round-a': 'round-b',
    'round-b': 'round-a',
    'git-link': '.git',
    'hook-link': '.git/hooks/x',
    'policy-link': '.signalbox/settings.json',
    'src/out': '../../outside',
    'src/back': '../src/../../outside',
    'real/deep/out': '../../../outside/deep',
    'through-file': 'src/a.txt/x',
    'null-link': '/dev/null',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name))
  execFileSync('/usr/bin/env', ['mkfifo', join(root, 'pipe'), join(root, 'src/pipe')])
  symlinkSync('pipe', join(root, 'pipe-link'))
}

const outsideNames = ['secret', 'none', 'a.txt', 'deep/secret', 'new/er']
const intoOutside = [
  'out',
  'up/outside',
  'hop',
  'src/out',
  'src/back',
  'hop-3',
  'hop-2',
  'out/deep/..',
  'rootward/tmp',
  'proc/tmp',
]
const guarded = ['.git', '.signalbox', '.monocoque']
const disguises = (name: string): string[] => [
  name,
  name.toUpperCase(),
  name[0] + (name[1] ?? '').toUpperCase() + name.slice(2),
  `${name}\u200C`,
  `\u200D${name}`,
  `\uFEFF${name}`,
  `.\u202E${name.slice(1)}`,
  // Full-width letters, which are equal after normalization.
  `.${name.slice(1).replaceAll(/./g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))}`,
  `src/../${name}`,
  `./${name}`,
  `sub/${name}`,
]

/** Paths that must not be written, created or deleted. */
export function hostilePaths(root: string, outside: string): string[] {
  const climbing = [
    '..',
    '../..',
    '../../..',
    'src/../..',
    'a/../..',
    './..',
    '.././',
    'none/../..',
    'src/./../..',
    'real/deep/../../..',
  ]
  return [
    ...climbing.flatMap((way) => outsideNames.map((name) => `${way}/outside/${name}`)),
    ...climbing.map((way) => `${way}/x`),
    ...intoOutside.flatMap((way) => outsideNames.map((name) => `${way}/${name}`)),
    ...outsideNames.map((name) => join(outside, name)),
    ...outsideNames.map((name) => `${root}/../outside/${name}`),
    ...outsideNames.map((name) => `/proc/self/root${outside}/${name}`),
    '/etc/passwd',
    '/etc/none',
    '/dev/null',
    '/dev/stdout',
    '/proc/self/mem',
    '//etc/passwd',
    '/',
    '/x-none',

    'out-file',
    'out-dangling',
    'out-dangling-deep',
    'up-file',
    'up-dangling',
    'up',
    'out',
    'etc/passwd',
    'rootward/x-none',

    'proc/etc/passwd',
    'proc-cwd/package.json',
    'proc-fd/0',
    'dev/null',
    'dev/none',
    'null-link',
    'real/deep/out/secret',

    'round',
    'round-a',
    'round/x',
    'through-file',
    'src/a.txt/x',
    'src/a.txt/',
    'src/a.txt/../../../outside/secret',
    'pipe',
    'src/pipe',
    'pipe-link',
    'src',
    'src/',
    '.',
    './',
    'real/deep',
    'src/..',
    '',

    'x\0y',
    '\0',
    'src/a.txt\0',
    '../outside/secret\0.txt',
    'n'.repeat(300),
    'n/'.repeat(3000) + 'x',
    `src/${'é'.repeat(200)}`,

    '~/../../outside/secret/../../../../etc/none',
    'git-link/config',
    'git-link/hooks/x',
    'hook-link',
    'policy-link',
    ...guarded.flatMap((name) => disguises(name).flatMap((way) => [`${way}/config`, `${way}/new/x`])),
    ...guarded,
  ]
}
