import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { insideId, writeOnce } from '../../../lib/bubblewrap.ts'
import type { Mount } from './mounts.ts'
import { realOrNull } from './paths.ts'

/** What programs need to run. Nothing else of the system exists in the sandbox. */
const opened = '/usr /bin /sbin /lib /lib32 /lib64 /libx32 /libexec /opt /nix /gnu /snap'.split(' ')
const certificates = ['/var/lib/ca-certificates']
const oldNames = ['/var/run', '/var/lock']
// Settings of services and of the boot are skipped: each mount takes time.
const ofServices =
  /^(?:rc.\.d|init(?:\.d)?|cron.*|systemd|pam\..*|apparmor.*|udev|logrotate.*|modules-load\.d|sysctl\..*|grub.*|polkit.*|selinux|security|default|skel|.*-)$/
const mostEntries = 20_000
const freshForMs = 30_000

/** The system, read-only. */
export async function systemMounts(input: {
  readonly root: boolean
  readonly home: string
  readonly scratch: string
}): Promise<Mount[]> {
  const { root } = input
  const mounts: Mount[] = [{ kind: 'void', at: '/' }]
  for (const at of opened) mounts.push(...(root && at === '/opt' ? await readableOnly(at, 2) : await asItIs(at)))
  for (const at of certificates) mounts.push(...(await asItIs(at)))
  for (const at of oldNames) mounts.push(...(await asItIs(at)).filter(({ kind }) => kind === 'link'))
  mounts.push(...(await (root ? readableOnly('/etc', 20) : asItIs('/etc'))), ...(await account(input)))
  return [...mounts, ...(await asItIs('/sys')), ...(await closedInSys()), ...(root ? await closedInProc() : [])]
}

async function asItIs(at: string): Promise<Mount[]> {
  const found = await lstat(at).catch(() => null)
  if (found?.isSymbolicLink() === true) return [{ kind: 'link', at, to: await readlink(at) }]
  return found?.isDirectory() === true ? [{ kind: 'read', at, from: at }] : []
}

/** Root may change these even with another id inside. Other users can't. */
const readOnlyInProc = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'driver', 'tty', 'mtrr']
const closed = 'acpi asound interrupts kcore keys latency_stats timer_list timer_stats sched_debug scsi kmsg'.split(' ')

/**
 * Only for root: the system refuses other users all of this, and a /proc with covered files would keep an agent's own
 * sandbox from mounting another.
 */
async function closedInProc(): Promise<Mount[]> {
  const mounts: Mount[] = []
  for (const name of await readdir('/proc').catch(() => [])) {
    if (/^\d+$/.test(name)) continue
    const at = join('/proc', name)
    const found = await lstat(at).catch(() => null)
    if (found === null || found.isSymbolicLink()) continue
    if (closed.includes(name) || (found.mode & 0o004) === 0)
      mounts.push(found.isDirectory() ? { kind: 'hide', at } : { kind: 'blank', at, pinned: true })
    else if (readOnlyInProc.includes(name)) mounts.push({ kind: 'read', at, from: at, pinned: true })
  }
  return mounts
}

async function closedInSys(): Promise<Mount[]> {
  const places = ['firmware', 'kernel/debug', 'kernel/tracing', 'kernel/security', 'devices/virtual/powercap']
  const real = await Promise.all(places.map((place) => realOrNull(join('/sys', place))))
  return real.flatMap((at): Mount[] => (at === null ? [] : [{ kind: 'hide', at }]))
}

/** Gives the user id inside an account, if it has none: many programs require one. */
async function account({ root, home, scratch }: { root: boolean; home: string; scratch: string }): Promise<Mount[]> {
  if (!root && hasAccount()) return []
  const id = root ? insideId : (process.getuid?.() ?? insideId)
  const lines = { passwd: `agent:x:${id}:${id}::${home.replaceAll(/[:\n]/g, '_')}:/bin/sh`, group: `agent:x:${id}:` }
  const mounts: Mount[] = []
  for (const [name, own] of Object.entries(lines)) {
    const others = (await readFile(join('/etc', name), 'utf8').catch(() => '')).split('\n').filter((one) => {
      const [called, , numbered] = one.split(':')
      return one !== '' && called !== 'agent' && numbered !== String(id)
    })
    const content = `${[...others, own].join('\n')}\n`
    const from = await writeOnce(scratch, `${name}-${digest(content)}`, content)
    mounts.push({ kind: 'read', at: join('/etc', name), from })
  }
  return mounts
}

function hasAccount(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

const remembered = new Map<string, { until: number; mounts: Promise<Mount[]> }>()

/**
 * A system directory without what only root may read. Each world-readable part is mounted alone: a covered file would
 * reappear as soon as someone replaced it.
 */
function readableOnly(at: string, levels: number): Promise<Mount[]> {
  const known = remembered.get(at)
  if (known !== undefined && known.until > performance.now()) return known.mounts
  const mounts = inParts(at, levels)
  remembered.set(at, { until: performance.now() + freshForMs, mounts })
  return mounts
}

async function inParts(at: string, levels: number): Promise<Mount[]> {
  const first = await asItIs(at)
  if (first[0]?.kind !== 'read') return first
  const budget = { left: mostEntries }
  const whole = await partsOf(at, levels, budget)
  return whole === 'all' ? first : whole
}

/** `all` if everything in the directory is world-readable, down to the given depth. */
async function partsOf(directory: string, levels: number, budget: { left: number }): Promise<Mount[] | 'all'> {
  if (levels === 0) return 'all'
  const entries = await readdir(directory).catch(() => null)
  if (entries === null) return []
  const names = directory === '/etc' ? entries.filter((name) => !ofServices.test(name)) : entries
  const mounts: Mount[] = []
  let all = names.length === entries.length
  for (const name of names) {
    const at = join(directory, name)
    const found = (budget.left -= 1) < 0 ? null : await lstat(at).catch(() => null)
    if (found?.isSymbolicLink() === true) mounts.push({ kind: 'link', at, to: await readlink(at).catch(() => at) })
    else if (found?.isDirectory() === true && (found.mode & 0o005) === 0o005) {
      const parts = await partsOf(at, levels - 1, budget)
      if (parts === 'all') mounts.push({ kind: 'read', at, from: at })
      else mounts.push(...parts)
      all &&= parts === 'all'
    } else if (found?.isFile() === true && (found.mode & 0o004) !== 0) mounts.push({ kind: 'read', at, from: at })
    else all = false
  }
  return all ? 'all' : mounts
}
