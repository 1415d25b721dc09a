import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { personOf } from '../user/actor.ts'
import { decideAttachment } from './decide.ts'
import { attachmentEvents, type AttachmentChange, type AttachmentCommand } from './schema.ts'
import { loadAttachments, projectAttachment, unsentBytes } from './store.ts'

/** Files that people send to agents with their prompts. */
export const attachmentSlice: Slice<AttachmentCommand, AttachmentChange> = {
  events: attachmentEvents,
  streams: () => ['attachments'],
  async load(db, command, context) {
    const owner = personOf(context.standing.actor)
    return {
      grounds: groundsOf(context),
      decide: async () =>
        decideAttachment(command, {
          owner,
          exists: (await loadAttachments(db, [command.id])).length > 0,
          unsentBytes: owner === null ? 0 : await unsentBytes(db, owner),
        }),
    }
  },
  project: projectAttachment,
  audience: ({ data }) => ({ person: data.ownerUserId }),
  subject: ({ id }) => id,
}
