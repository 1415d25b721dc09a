import { sha256 } from '../../../lib/secret.ts'
import type { FileEdit } from '../transcript/tool-call.ts'

/** Something a person allowed, until it is over and compared; kept through restarts of the server. */
export type Approval = {
  readonly askId: string
  readonly toolCallId: string
  readonly kind: string
  readonly edits: readonly ApprovedEdit[]
  /** What the command may be called. */
  readonly commands: readonly string[]
  /** The call that has used it up; the same call may come again after a restart. */
  readonly usedBy: number | null
  /** Its call has ended: what is left is to compare the files. */
  readonly over: boolean
}

type ApprovedEdit = {
  readonly path: string
  readonly newHash: string
  /** The texts of a change to a part; null for the whole file, or where they are too long to be kept. */
  readonly part: { readonly oldText: string; readonly newText: string } | null
}

const longestText = 16 * 1024
const mostKept = 100

export const approvedEdit = ({ path, oldText, newText }: FileEdit): ApprovedEdit => ({
  path,
  newHash: sha256(newText),
  part: oldText === null || oldText === '' ? null : { oldText, newText },
})

/** As they are stored: without long texts. What is left out is asked for again after a restart. */
export const keptApprovals = (approvals: readonly Approval[]): readonly Approval[] =>
  approvals.slice(-mostKept).map(shortened)

const shortened = (approval: Approval): Approval => ({
  ...approval,
  commands: approval.commands.filter((line) => line.length <= longestText),
  edits: approval.edits.map(({ path, newHash, part }) => ({ path, newHash, part: isShort(part) ? part : null })),
})

const isShort = (part: ApprovedEdit['part']): boolean =>
  part !== null && part.oldText.length + part.newText.length <= longestText
