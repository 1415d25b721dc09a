/** The state machine of PRODUCT section 3; API, tests and docs read this table. */
export const sessionStatuses = [
  'created',
  'active',
  'paused',
  'interrupted',
  'completed',
  'cancelled',
  'error',
  'terminated',
] as const
export type SessionStatus = (typeof sessionStatuses)[number]

const ends = ['completed', 'cancelled', 'error', 'terminated'] as const satisfies readonly SessionStatus[]

export const nextStatuses: Readonly<Record<SessionStatus, readonly SessionStatus[]>> = {
  created: ['active', 'error', 'cancelled', 'terminated', 'interrupted'],
  active: ['paused', 'interrupted', ...ends],
  paused: ['active', 'interrupted', ...ends],
  interrupted: ['active', 'cancelled', 'terminated'],
  completed: [],
  cancelled: [],
  error: [],
  terminated: [],
}

export const mayBecome = (from: SessionStatus, to: SessionStatus): boolean => nextStatuses[from].includes(to)

export const hasEnded = (status: SessionStatus): boolean => nextStatuses[status].length === 0

/** What a person does with the work itself, which is possible after the end too. */
export const gitWork = ['commit', 'merge', 'rebase', 'remove_worktree', 'pull_request'] as const
export const isGitWork = (what: string): boolean => gitWork.some((one) => one === what)

/** Whether a session in this status takes one of the slots of R4. */
export const takesSlot = (status: SessionStatus): boolean =>
  status === 'created' || status === 'active' || status === 'paused'
