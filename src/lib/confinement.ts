import { readFile } from 'node:fs/promises'
import { probeBubblewrap } from './bubblewrap.ts'
import { hasSeccompFilter } from './seccomp.ts'

type FoundConfinement = { name: string; status: 'ok' | 'warn'; detail: string; hint: string | null }

/** How programs can be confined on this machine, and how to improve it. One entry per part. */
export async function lookAtConfinement(input: {
  readonly path: string
  /** The isolation configured for agents. */
  readonly isolation: 'auto' | 'none' | 'sandbox' | 'container'
}): Promise<FoundConfinement[]> {
  const root = process.getuid?.() === 0
  return [await sandbox(input.path, input.isolation, root), systemCalls(), ...(root ? [rights] : [])]
}

const name = 'agent sandbox'

async function sandbox(
  path: string,
  isolation: 'auto' | 'none' | 'sandbox' | 'container',
  root: boolean,
): Promise<FoundConfinement> {
  if (isolation === 'none')
    return {
      name,
      status: 'warn',
      detail: 'off (acp.isolation = "none"): agents run as you, with all your files and rights',
      hint: 'Set acp.isolation to "auto" or "sandbox" in config.toml.',
    }
  const bubblewrap = await probeBubblewrap(path, root)
  if (!bubblewrap.works) {
    const then = isolation === 'sandbox' ? 'agents are refused' : 'agents run as you, with all your files and rights'
    return { name, status: 'warn', detail: `none: ${bubblewrap.why}; ${then}`, hint: await remedy(bubblewrap.why) }
  }
  const who = root ? 'an ordinary user inside, though the server runs as root' : 'the same user inside'
  return { name, status: 'ok', detail: `bubblewrap (${bubblewrap.program}), a user namespace, ${who}`, hint: null }
}

function systemCalls(): FoundConfinement {
  const filter = 'agent system calls'
  return hasSeccompFilter()
    ? { name: filter, status: 'ok', detail: `filtered by seccomp (${process.arch})`, hint: null }
    : {
        name: filter,
        status: 'warn',
        detail: `not filtered: there is no seccomp filter for ${process.arch}`,
        hint: "Run the server on x86-64 or ARM64, so that agents can't leave setuid files behind.",
      }
}

const rights: FoundConfinement = {
  name: 'agent rights',
  status: 'warn',
  detail: 'the server runs as root: an agent that escapes its sandbox can do everything',
  hint:
    'Run the server as a separate user: useradd --system --create-home signalbox, then give it the data directory ' +
    'and the repos with chown -R signalbox:',
}

const installers: Readonly<Record<string, string>> = {
  debian: 'sudo apt install bubblewrap',
  ubuntu: 'sudo apt install bubblewrap',
  fedora: 'sudo dnf install bubblewrap',
  rhel: 'sudo dnf install bubblewrap',
  arch: 'sudo pacman -S bubblewrap',
  alpine: 'sudo apk add bubblewrap',
  suse: 'sudo zypper install bubblewrap',
  opensuse: 'sudo zypper install bubblewrap',
}

/** Kernel settings that deny namespaces to ordinary users, and the value that does. */
const obstacles = [
  ['user.max_user_namespaces', '0', '15000'],
  ['kernel.unprivileged_userns_clone', '0', '1'],
  ['kernel.apparmor_restrict_unprivileged_userns', '1', '0'],
] as const

async function remedy(why: string): Promise<string> {
  if (process.platform !== 'linux') return 'The sandbox needs Linux: run the server there, or in a virtual machine.'
  if (why.includes('not installed'))
    return `Install it with: ${installers[await distribution()] ?? 'your package manager (bubblewrap)'}`
  for (const [setting, closed, open] of obstacles) {
    const value = await readFile(`/proc/sys/${setting.replaceAll('.', '/')}`, 'utf8').catch(() => '')
    if (value.trim() === closed)
      return `User namespaces are disabled here. Enable them with: sudo sysctl -w ${setting}=${open}`
  }
  return 'In a container, allow user namespaces (docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined). Otherwise, see the error with: bwrap --unshare-user --ro-bind / / true'
}

async function distribution(): Promise<string> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const ids = [...text.matchAll(/^(?:ID|ID_LIKE)="?([^"\n]*)"?$/gm)].flatMap(([, value = '']) => value.split(' '))
  return ids.find((id) => id in installers) ?? ''
}
