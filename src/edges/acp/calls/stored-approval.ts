import { sha256 } from '../../../lib/secret.ts'
import type { FileEdit } from '../transcript/tool-call.ts'

/** Something a person approved, stored until its call has ended and its files are compared. */
export type Approval = {
  readonly askId: string
  readonly toolCallId: string
  readonly kind: string
  readonly edits: readonly ApprovedEdit[]
  /** Command lines it covers. */
  readonly commands: readonly string[]
  /** The call that used it. The same call may be repeated after a restart. */
  readonly usedBy: number | null
  /** The call has ended; only the comparison is left. */
  readonly over: boolean
}

type ApprovedEdit = {
  readonly path: string
  readonly newHash: string
  /** The texts of a partial change; null for a whole file, or if they are too long to store. */
  readonly part: { readonly oldText: string; readonly newText: string } | null
}

const longestText = 16 * 1024
const mostKept = 100

export const approvedEdit = ({ path, oldText, newText }: FileEdit): ApprovedEdit => ({
  path,
  newHash: sha256(newText),
  part: oldText === null || oldText === '' ? null : { oldText, newText },
})

/** Without long texts. What is left out is asked for again after a restart. */
export const keptApprovals = (approvals: readonly Approval[]): readonly Approval[] =>
  approvals.slice(-mostKept).map(shortened)

const shortened = (approval: Approval): Approval => ({
  ...approval,
  commands: approval.commands.filter((line) => line.length <= longestText),
  edits: approval.edits.map(({ path, newHash, part }) => ({ path, newHash, part: isShort(part) ? part : null })),
})

const isShort = (part: ApprovedEdit['part']): boolean =>
  part !== null && part.oldText.length + part.newText.length <= longestText
