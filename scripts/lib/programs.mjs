// Programs used by the terminal tests; tests of missing ones are skipped with the name.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { canUseApt, run } from './apt.mjs'
import { progress, say, seconds } from './say.mjs'

/** Each program, or library, with its Debian package. */
const packages = {
  bash: 'bash',
  bc: 'bc',
  busybox: 'busybox',
  click: 'python3-click',
  curl: 'curl',
  dash: 'dash',
  dc: 'dc',
  dialog: 'dialog',
  ed: 'ed',
  expect: 'expect',
  fzf: 'fzf',
  gdb: 'gdb',
  git: 'git',
  gpg: 'gnupg',
  htop: 'htop',
  ksh: 'ksh93u+m',
  less: 'less',
  'libedit.so.2': 'libedit2',
  'libreadline.so.8': 'libreadline8',
  'lua5.4': 'lua5.4',
  make: 'make',
  man: 'man-db',
  mc: 'mc',
  mke2fs: 'e2fsprogs',
  mysql: 'mariadb-client',
  nano: 'nano',
  openssl: 'openssl',
  passwd: 'passwd',
  patch: 'patch',
  perl: 'perl',
  ping: 'inetutils-ping',
  'pinentry-curses': 'pinentry-curses',
  prompt_toolkit: 'python3-prompt-toolkit',
  psql: 'postgresql-client',
  python3: 'python3',
  rich: 'python3-rich',
  rlwrap: 'rlwrap',
  script: 'bsdutils',
  sqlite3: 'sqlite3',
  ssh: 'openssh-client',
  sshd: 'openssh-server',
  sudo: 'sudo',
  tclsh: 'tcl',
  telnet: 'inetutils-telnet',
  tmux: 'tmux',
  tnftp: 'tnftp',
  top: 'procps',
  typer: 'python3-typer',
  unzip: 'unzip',
  vi: 'vim-tiny',
  wget: 'wget',
  whiptail: 'whiptail',
  zip: 'zip',
  zsh: 'zsh',
}

const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64'
const libraries = ['/usr/lib/python3/dist-packages', `/usr/lib/${machine}-linux-gnu`]

const folders = () => [
  ...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean),
  '/usr/sbin',
  '/sbin',
  ...libraries,
]

/** @param {string} program */
export const isInstalled = (program) => folders().some((folder) => existsSync(join(folder, program)))

const missing = () => Object.keys(packages).filter((program) => !isInstalled(program))

/** Never fails: tests of missing programs are skipped. */
export async function ensurePrograms() {
  const wanted = missing()
  if (process.platform !== 'linux' || wanted.length === 0) return
  if (!canUseApt()) return say(`Not here, so what needs them is not tested in terminals: ${wanted.join(', ')}.`)
  const started = Date.now()
  const done = progress(`Installing ${wanted.length} programs for the tests of terminals (once)`)
  const output = await install(wanted).finally(done)
  const left = missing()
  if (left.length === 0) return say(`Installed ${wanted.length} programs in ${seconds(started)}.`)
  const last = output.trimEnd().split('\n').slice(-8).join('\n  ')
  say(`Could not be installed, so what needs them is not tested in terminals: ${left.join(', ')}\n  ${last}`)
}

/** @param {string[]} programs */
async function install(programs) {
  // In run level 1 no package starts a service.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const quick = ['-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Dpkg::Options::=--force-unsafe-io']
  const chosen = Object.entries(packages).flatMap(([program, name]) => (programs.includes(program) ? [name] : []))
  const updated = await run('apt-get', [...quick, 'update'], env)
  const all = await run('apt-get', [...quick, 'install', '-y', '--no-install-recommends', ...chosen], env)
  if (missing().length === 0) return updated + all
  // One unknown name fails all: install each separately then.
  let output = updated + all
  for (const program of missing())
    output += await run('apt-get', [...quick, 'install', '-y', '--no-install-recommends', nameOf(program)], env)
  return output
}

/** @param {string} program */
const nameOf = (program) => Object.entries(packages).find(([known]) => known === program)?.[1] ?? program
