import { api } from '../../../client/contract.ts'
import type { AttachmentId } from '../../../domain/attachment/schema.ts'
import { newId } from '../../../lib/id.ts'
import { download } from '../download.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'

/** Files that go along with prompts. */
export function mountAttachments(web: Web, deps: RouteDeps): void {
  const { app } = deps

  mount(web, deps, api.addAttachment, async ({ body }, call) => {
    const { actor, standing } = call.caller
    const id = newId<AttachmentId>()
    const done = await app.dispatch({ type: 'attachment.add', id, ...body }, actor, call.once)
    return done.ok ? app.read.ownAttachment(standing, done.value.subject as AttachmentId) : done
  })

  mount(web, deps, api.getAttachment, async ({ params }, { caller }) => {
    const file = await app.read.attachment(caller.standing, params.id, params.attachmentId)
    return file.ok ? download(file.value) : file
  })
}
