import { protectedPart } from '../../lib/protected-files.ts'
import { finding, type Finding } from './finding.ts'

const credentials =
  /(^|\/)(\.ssh|\.gnupg|\.aws|\.azure|\.gcloud|\.kube|\.docker)(\/|$)|(^|\/)(authorized_keys|known_hosts|\.netrc|\.pgpass)$|^\/etc\/(passwd|shadow|group|gshadow|sudoers|ssh|cron|pam|ld\.so|profile|environment|systemd)/i
const secrets =
  /(^|\/)(\.env(\.(?!example|sample|template|dist)[^/]*)?|id_(rsa|dsa|ecdsa|ed25519)|credentials(\.json)?|secrets?\.(ya?ml|json|toml)|service[-_]account[^/]*\.json|[^/]*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)|\.npmrc|\.pypirc|\.netrc|\.pgpass|master\.key|terraform\.tfstate)$/i
const guards = /(^|\/)(\.signalbox|\.monocoque|\.git|\.claude|\.mcp\.json)(\/|$)/i
const scratch = /^(\/private)?(\/tmp|\/var\/tmp)\//
const harmlessDevices = /^\/dev\/(null|zero|stdin|stdout|stderr|tty|fd\/\d+|u?random)$/

export type RiskScope = { readonly workspaceRoot: string }

/** The path relative to the workspace, and as an absolute path. Links are not resolved. */
export function locatePath(path: string, { workspaceRoot }: RiskScope): { inside: string | null; whole: string } {
  const root = workspaceRoot.replace(/(?<!\/)\/+$/, '')
  const given = path.replace(/^file:\/\//, '')
  if (/^(~|\$HOME|\$\{HOME\}|%USERPROFILE%|[A-Za-z]:[\\/]|\\\\)/.test(given)) return { inside: null, whole: given }
  const parts: string[] = []
  for (const part of (given.startsWith('/') ? given : `${root}/${given}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  const whole = `/${parts.join('/')}`
  return { inside: whole === root ? '' : whole.startsWith(`${root}/`) ? whole.slice(root.length + 1) : null, whole }
}

const shownPath = (path: string): string =>
  path.length <= 80 ? path.replaceAll(/[^\x20-\x7e]/g, '?') : `${path.slice(0, 79).replaceAll(/[^\x20-\x7e]/g, '?')}…`

/** Findings about a file that would be written. `sure`: it is the subject of the ask, not just a word in a command. */
export function judgeWrite(path: string, place: RiskScope, sure: boolean): Finding[] {
  if (harmlessDevices.test(path)) return []
  const { inside, whole } = locatePath(path, place)
  if (whole.startsWith('/dev/')) return [finding('critical', `writes to the device ${shownPath(whole)}`)]
  if (credentials.test(whole))
    return [finding('critical', `changes credentials or system settings (${shownPath(path)})`)]
  if (inside === null)
    return scratch.test(whole)
      ? sure
        ? [finding('high', `writes outside the workspace (${shownPath(path)})`)]
        : []
      : [finding(sure ? 'critical' : 'high', `writes outside the workspace (${shownPath(path)})`)]
  if (guards.test(inside)) return [finding('critical', `changes what guards agents (${shownPath(inside)})`)]
  if (secrets.test(inside)) return [finding('high', `changes a file that can contain secrets (${shownPath(inside)})`)]
  return protectedPart(inside) === null
    ? []
    : [finding('high', `changes a file that programs act on without asking (${shownPath(inside)})`)]
}

/** Findings about a file that would be read. */
export function judgeRead(path: string, place: RiskScope, sure: boolean): Finding[] {
  const { inside, whole } = locatePath(path, place)
  if (credentials.test(whole) && !/^\/etc\/(passwd|group|profile|environment|ld\.so)/.test(whole))
    return [finding('high', `reads credentials (${shownPath(path)})`)]
  if (secrets.test(whole)) return [finding('high', `reads a file that can contain secrets (${shownPath(path)})`)]
  return inside === null && sure && !scratch.test(whole)
    ? [finding('high', `reads outside the workspace (${shownPath(path)})`)]
    : []
}

/** How far a recursive command reaches. */
export function reachOf(path: string, place: RiskScope): 'part' | 'workspace' | 'outside' | 'unknown' {
  if (/^(\$HOME|\$\{HOME\}|~)/.test(path)) return 'outside'
  if (/[$`]/.test(path)) return 'unknown'
  const plain = path.replace(/\/?\*+$/, '') || (path.startsWith('/') ? '/' : '.')
  const { inside, whole } = locatePath(plain, place)
  if (inside === '') return 'workspace'
  if (inside !== null) return 'part'
  return scratch.test(`${whole}/`) && whole.split('/').length > 2 ? 'part' : 'outside'
}

const internals = /(^|\/)\.(git|signalbox|monocoque)(\/|$)/i

/** A file of a workspace that is not shown to people in chats: credentials, keys, and what Git and Signalbox keep. */
export const mayHoldSecrets = (inside: string): boolean =>
  credentials.test(inside) || secrets.test(inside) || internals.test(inside)
