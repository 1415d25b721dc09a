import { join, relative } from 'node:path'
import type { Ask, RiskLevel } from '../../domain/ask/schema.ts'
import { askForEverything, compilePolicy, type Policy } from '../../domain/policy/compile.ts'
import { judge } from '../../domain/policy/judge.ts'
import type { PolicySubject } from '../../domain/policy/policy-subject.ts'
import { hashOf } from '../../domain/policy/baseline.ts'
import { faultText, readPolicy } from '../../domain/policy/read-policy.ts'
import { startReplay } from '../../domain/policy/replay.ts'
import type {
  IgnoredEntry,
  PolicyFault,
  PolicyFile,
  PolicyInForce,
  PolicyReplay,
  PolicyTrust,
  Rule,
} from '../../domain/policy/schema.ts'
import { inBoth, widening } from '../../domain/policy/widening.ts'
import { readWords } from '../../domain/policy/command-words.ts'
import { createKeyedQueue } from '../../lib/serial-queue.ts'
import type { Logger } from '../../lib/log.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { shareLookups } from '../../lib/share-lookups.ts'
import { findPolicyFile, policyFile, type FoundPolicyFile } from './policy-file.ts'
import { hasNoLink, staysInside } from './link-checks.ts'

export type Policies = {
  /** The rule that answers now, or null. Also null if a file is reached through a link. */
  judge(workspaceRoot: string, subject: PolicySubject, risk: RiskLevel): Promise<string | null>
  inForce(workspaceRoot: string): Promise<PolicyInForce>
  /** Tests a policy against past asks; without `settings`, the one in force. */
  replay(
    workspaceRoot: string,
    settings: string | null,
    /** Only these, instead of what is in force. */
    rules: readonly Rule[],
    pages: AskPages,
  ): Promise<Result<PolicyReplay>>
  /** Writes a policy without faults, if the current file has the hash `expected`; null: no file. */
  write(workspaceRoot: string, settings: string, expected: string | null): Promise<Result<PolicyInForce>>
  /** The text that waits for a person, if it still has this hash. */
  pendingText(workspaceRoot: string, hash: string): Promise<Result<string | null>>
  /** The current text, if it still has the hash that a person saw; null if there is no file. */
  seenText(workspaceRoot: string, hash: string | null): Promise<Result<string | null>>
  /** Notes the current text before an agent starts, or after one has ended. */
  observe(workspaceRoot: string): Promise<void>
  /** Whether the workspace has a policy or confirmed rules, trusted or not. */
  hasPolicy(workspaceRoot: string): Promise<boolean>
  /** Confirmed rules, trust or a baseline changed; without a workspace, in any of them. */
  invalidate(workspaceRoot?: string): void
}

type AskPages = AsyncIterable<readonly Ask[]> | Iterable<readonly Ask[]>

type LoadedPolicy = {
  mark: string
  registry: readonly string[]
  policy: Policy
  path: string | null
  file: PolicyFile | null
  faults: PolicyFault[]
  ignored: IgnoredEntry[]
  rules: readonly Rule[]
  trust: PolicyTrust | null
  pending: PolicyInForce['pending']
}

/** What a file is compared with: the last text in force, and since when a wider one waits. */
export type BaselineText = { readonly settings: string | null; readonly pendingSince: string | null }

const mostKept = 256
const mostNamed = 10
const mostWider = 200

export function createPolicies(deps: {
  /** The texts of `[commands]`. */
  registry(): readonly string[]
  confirmed(workspaceRoot: string): Promise<readonly Rule[]>
  warn(workspaceRoot: string, text: string): void
  log: Logger
  /** Writes the file of a workspace, if it still has this hash; null: no file. */
  put(workspaceRoot: string, path: string, settings: string, before: string | null): Promise<Result<void>>
  /** Who vouched for the workspace. */
  trust(workspaceRoot: string): Promise<PolicyTrust | null>
  /** Notes the current text, and returns what it is compared with. */
  observeBaseline(workspaceRoot: string, settings: string | null): Promise<BaselineText>
  /** Signalbox's own files and directories, which are never automatic in any workspace. */
  kept?: readonly string[]
}): Policies {
  const { log } = deps
  const known = new Map<string, Promise<LoadedPolicy>>()
  const queue = createKeyedQueue()
  // A warning is not repeated until the file changes.
  const warned = new Map<string, string>()

  const keptIn = (root: string): string[] =>
    (deps.kept ?? []).map((path) => relative(root, path)).filter((path) => path !== '' && !path.startsWith('..'))

  function remember(root: string, loading: Promise<LoadedPolicy>): Promise<LoadedPolicy> {
    known.delete(root)
    known.set(root, loading)
    for (const [oldest] of known) {
      if (known.size <= mostKept) break
      known.delete(oldest)
      warned.delete(oldest)
    }
    return loading
  }

  function warnOnce(root: string, { path, mark, faults, ignored, trust, pending }: LoadedPolicy): void {
    const text =
      trust === null
        ? ''
        : faults.length > 0
          ? `The policy ${path} has faults, so nothing is automatic: ${listed(faults.map(faultText))}`
          : pending !== null
            ? `The policy ${path ?? ''} was widened while an agent was working. Until an admin confirms it, only what it allowed before applies. It adds: ${listed(pending.wider)}. To confirm: signalbox policy accept ${pending.hash.slice(0, 12)}`
            : ignored.length > 0
              ? `These entries of the policy ${path ?? 'of confirmed rules'} have no effect: ${listed(ignored.map(({ entry, why }) => `${entry} (${why})`))}`
              : ''
    const now = text === '' ? '' : `${mark} ${text}`
    if ((warned.get(root) ?? '') === now) return
    warned.set(root, now)
    if (text === '') return
    log.warn(
      { workspaceRoot: root, path, faults: faults.length, ignored: ignored.length, pending: pending !== null },
      'a policy has faults, unused entries or a pending change',
    )
    deps.warn(root, text)
  }

  async function load(
    root: string,
    found: FoundPolicyFile,
    registry: readonly string[],
    trust: PolicyTrust | null,
  ): Promise<LoadedPolicy> {
    const rules = await deps.confirmed(root)
    const read = await contentOf(found)
    const base = { mark: found.mark, registry, path: found.path, rules, trust, pending: null, ...read }
    if (trust === null || read.faults.length > 0) return { ...base, policy: askForEverything, ignored: [] }
    const { settings, pendingSince } = await deps.observeBaseline(root, read.text)
    const before = settings === null ? null : readPolicy(settings).file
    const wider = widening(before, read.file)
    const counts = wider.length === 0 ? read.file : inBoth(before, read.file)
    const pending =
      wider.length === 0
        ? null
        : { hash: hashOf(read.text), since: pendingSince, wider: wider.slice(0, mostWider), inForce: counts }
    return { ...base, pending, ...compilePolicy(counts, registry, rules, keptIn(root)) }
  }

  function trial(root: string, settings: string, now: LoadedPolicy): Result<Pick<LoadedPolicy, 'policy' | 'ignored'>> {
    const { file, faults } = readPolicy(settings)
    return file === null ? fail(faulty(faults)) : ok(compilePolicy(file, now.registry, now.rules, keptIn(root)))
  }

  const findFile = shareLookups(findPolicyFile)

  async function current(root: string): Promise<LoadedPolicy> {
    const registry = deps.registry()
    const trust = await deps.trust(root)
    const found = await findFile(root)
    for (let loading = known.get(root); loading;) {
      const loaded = await loading.catch(() => undefined)
      if (
        loaded &&
        loaded.mark === found.mark &&
        isEqual(loaded.registry, registry) &&
        isSameTrust(loaded.trust, trust)
      )
        return loaded
      // Another call may have started loading a newer one meanwhile.
      const newer = known.get(root)
      if (newer === loading) break
      loading = newer
    }
    const loading = load(root, found, registry, trust)
    loading.catch(() => known.delete(root))
    return remember(root, loading)
  }

  async function inForce(root: string): Promise<PolicyInForce> {
    const { path, file, faults, ignored, rules, trust, pending } = await current(root)
    const read = await textOf(await findPolicyFile(root))
    return { workspaceRoot: root, path, file, faults, ignored, rules: [...rules], trust, pending, ...read }
  }

  return {
    async judge(root, subject, risk) {
      const loaded = await current(root)
      // Warn when a session there asks, not when a person only looks at the policy.
      warnOnce(root, loaded)
      const rule = judge(loaded.policy, subject, risk)
      if (rule === null) return null
      if (subject.kind === 'command') {
        const words = readWords(subject.command) ?? []
        return (await staysInside(
          root,
          words.map(({ text }) => text),
        ))
          ? rule
          : null
      }
      const paths = subject.kind === 'files' ? subject.paths : 'filePath' in subject ? [subject.filePath] : []
      for (const path of paths) if (path !== undefined && !(await hasNoLink(root, path))) return null
      return rule
    },
    inForce,
    write: (root, settings, expected) =>
      queue.run(root, async () => {
        const { faults } = readPolicy(settings)
        if (faults.length > 0) return fail(faulty(faults))
        const found = await findPolicyFile(root)
        if (found.path !== null && found.wrong !== null) return fail(unusable(found.path, found.wrong))
        const { settings: text, hash } = await textOf(found)
        if (found.path !== null && text === null) return fail(unusable(found.path, "it can't be read"))
        if (hash !== expected) return fail(changedMeanwhile(hash))
        // A file with the older name stays, and no longer applies.
        const before = found.path === join(root, policyFile) ? hash : null
        const put = await deps.put(root, policyFile, settings, before)
        return put.ok ? ok(await inForce(root)) : put
      }),
    async replay(root, settings, rules, pages) {
      const now = await current(root)
      const tried =
        rules.length > 0
          ? ok(compilePolicy(null, now.registry, rules, keptIn(root)))
          : settings === null
            ? ok(now)
            : trial(root, settings, now)
      if (!tried.ok) return tried
      const { policy, ignored } = tried.value
      const running = startReplay(policy, root)
      for await (const asks of pages) running.add(asks)
      return ok({ ...running.report(), ignored })
    },
    async pendingText(root, hash) {
      const { pending } = await current(root)
      if (pending === null) return fail(nothingPending)
      const { settings } = await textOf(await findPolicyFile(root))
      return pending.hash === hash && hashOf(settings) === hash ? ok(settings) : fail(changedMeanwhile(pending.hash))
    },
    async seenText(root, hash) {
      const { settings, hash: now } = await textOf(await findPolicyFile(root))
      return now === hash ? ok(settings) : fail(changedMeanwhile(now))
    },
    async observe(root) {
      if ((await deps.trust(root)) === null) return
      const read = await contentOf(await findPolicyFile(root))
      if (read.faults.length === 0) await deps.observeBaseline(root, read.text)
    },
    async hasPolicy(root) {
      return (await findPolicyFile(root)).path !== null || (await deps.confirmed(root)).length > 0
    },
    invalidate(root) {
      if (root === undefined) known.clear()
      else known.delete(root)
    },
  }
}

/** The current text and its hash. */
async function textOf(found: FoundPolicyFile): Promise<{ settings: string | null; hash: string | null }> {
  const settings = found.path === null || found.wrong !== null ? null : await found.text().catch(() => null)
  return { settings, hash: settings === null ? null : sha256(settings) }
}

async function contentOf(
  found: FoundPolicyFile,
): Promise<{ text: string | null; file: PolicyFile | null; faults: PolicyFault[] }> {
  if (found.path === null) return { text: null, file: null, faults: [] }
  const broken = (message: string) => ({ text: null, file: null, faults: [{ line: null, key: '', message }] })
  if (found.wrong !== null) return broken(found.wrong)
  try {
    const text = await found.text()
    return { text, ...readPolicy(text) }
  } catch (error) {
    return broken(`it can't be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const isSameTrust = (a: PolicyTrust | null, b: PolicyTrust | null): boolean => (a === null) === (b === null)

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((text, index) => text === b[index]))

const listed = (texts: readonly string[]): string =>
  texts.slice(0, mostNamed).join('; ') + (texts.length > mostNamed ? `; and ${texts.length - mostNamed} more` : '')

const faulty = (faults: readonly PolicyFault[]) => ({
  kind: 'invalid' as const,
  code: 'policy_faulty',
  message: `The policy has faults: ${listed(faults.map(faultText))}`,
  hint: 'Fix them first: with faults in a policy, nothing is automatic.',
  details: { faults },
})

const unusable = (path: string, why: string) => ({
  kind: 'conflict' as const,
  code: 'policy_unusable',
  message: `${path} can't be replaced: ${why}.`,
  hint: 'Check the file, and remove it if it should not be there.',
})

const nothingPending = {
  kind: 'conflict' as const,
  code: 'policy_not_pending',
  message: 'No change to this policy is waiting for confirmation.',
  hint: 'See what is in force: signalbox policy',
}

const changedMeanwhile = (hash: string | null) => ({
  kind: 'conflict' as const,
  code: 'policy_changed',
  message:
    hash === null ? 'The policy no longer exists.' : 'The policy has changed since you read it. Nothing was written.',
  hint: 'Read it again, then repeat your change.',
  details: { hash },
})
