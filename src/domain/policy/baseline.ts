import { ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { readPolicy } from './read-policy.ts'
import type { PolicyChange, PolicyCommand } from './schema.ts'
import { isWider } from './widening.ts'

/** The last text of a workspace's policy that counted, and one that waits for a person. */
export type Baseline = {
  readonly workspaceRoot: string
  readonly settings: string | null
  readonly notedAt: string
  readonly pendingHash: string | null
  readonly pendingSince: string | null
}

/** What is known when somebody looks at a policy file. */
export type PolicyObservation = {
  readonly baseline: Baseline | undefined
  /** A worktree goes by the baseline of its repo, and does not move it. */
  readonly borrowed: boolean
  /** Whether a session is at work there now, or was at any time since the baseline was noted. */
  readonly liveNow: boolean
  readonly liveSince: boolean
}

type ObserveCommand = Extract<PolicyCommand, { type: 'policy.observe' }>

const fileOf = (settings: string | null) => (settings === null ? null : readPolicy(settings).file)

/**
 * A policy that grows wider while an agent is at work waits for a person; anything else counts at once and is what the
 * next one is compared with (S7). A file with faults answers nothing, and is compared with nothing.
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
    // Whoever wrote it may be the agent that it would answer.
    return ok(isWider(null, fileOf(settings)) ? [noted(null), held(hashOf(settings))] : [noted(settings)])
  }
  if (isWider(fileOf(baseline.settings), fileOf(settings)) && (borrowed || liveSince)) {
    const isKnown = borrowed || baseline.pendingHash === hashOf(settings)
    return ok(isKnown ? [] : [held(hashOf(settings))])
  }
  if (borrowed) return ok([])
  // The same text with nobody at work: what is written from now on was written with nobody at work.
  const isNews = baseline.settings !== settings || baseline.pendingHash !== null || (liveSince && !liveNow)
  return ok(isNews ? [noted(settings)] : [])
}

/** No file has the hash of an empty one, which would be faulty. */
export const hashOf = (text: string | null): string => sha256(text ?? '')
