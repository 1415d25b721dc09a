import { ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { readPolicy } from './read-policy.ts'
import type { PolicyChange, PolicyCommand } from './schema.ts'
import { isWider } from './widening.ts'

/** The last policy text of a workspace that was in force, and the hash of one that waits for a person. */
export type Baseline = {
  readonly workspaceRoot: string
  readonly settings: string | null
  readonly notedAt: string
  readonly pendingHash: string | null
  readonly pendingSince: string | null
}

/** What is known when a policy file is looked at. */
export type PolicyObservation = {
  readonly baseline: Baseline | undefined
  /** A worktree uses the baseline of its repo and never changes it. */
  readonly borrowed: boolean
  /** Whether a session is running there now, or ran at any time since the baseline was noted. */
  readonly liveNow: boolean
  readonly liveSince: boolean
}

type ObserveCommand = Extract<PolicyCommand, { type: 'policy.observe' }>

const fileOf = (settings: string | null) => (settings === null ? null : readPolicy(settings).file)

/**
 * A policy that grows wider while an agent is running waits for a person. Any other text is in force at once and becomes
 * the baseline (S7). A file with faults answers nothing and is not compared.
 */
export function decideObservation(command: ObserveCommand, seen: PolicyObservation): Result<PolicyChange[]> {
  const { id, workspaceRoot, settings } = command
  const { baseline, borrowed, liveNow, liveSince } = seen
  if (settings !== null && readPolicy(settings).faults.length > 0) return ok([])
  const noted = (text: string | null): PolicyChange => ({
    type: 'policy.noted',
    data: { id, workspaceRoot, hash: hashOf(text) },
    body: text,
  })
  const held = (hash: string): PolicyChange => ({ type: 'policy.held', data: { id, workspaceRoot, hash } })
  if (!baseline) {
    if (borrowed) return ok([])
    if (!liveNow) return ok([noted(settings)])
    // The agent it would answer may have written it.
    return ok(isWider(null, fileOf(settings)) ? [noted(null), held(hashOf(settings))] : [noted(settings)])
  }
  if (isWider(fileOf(baseline.settings), fileOf(settings)) && (borrowed || liveSince)) {
    const isKnown = borrowed || baseline.pendingHash === hashOf(settings)
    return ok(isKnown ? [] : [held(hashOf(settings))])
  }
  if (borrowed) return ok([])
  // The same text, but no agent is running any more: note it again, so that later edits are known to be made by people.
  const isNews = baseline.settings !== settings || baseline.pendingHash !== null || (liveSince && !liveNow)
  return ok(isNews ? [noted(settings)] : [])
}

/** A missing file hashes like an empty one: an empty file is faulty anyway. */
export const hashOf = (text: string | null): string => sha256(text ?? '')
