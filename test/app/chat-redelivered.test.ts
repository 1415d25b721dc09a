import { expect, it } from 'vitest'
import type { CheckpointId } from '../../src/domain/checkpoint/id.ts'
import type { InboxId } from '../../src/domain/chat/id.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth } from '../world.ts'
import { chatHarness } from './chat-harness.ts'

describeBoth('a command that is handled again after a crash', (open) => {
  it('restores a checkpoint once', async () => {
    await using world = await open()
    const on = await chatHarness(world)
    const group = await on.group('Dev')
    await on.wire(await on.chat('C1'), group)
    const ann = await on.member(group)
    await on.say('go', { messageId: '1.0' })
    const [session] = await on.sessions()
    const id = newId<CheckpointId>()
    const kept = { tree: 'tree', restorePoint: 'point', fileCount: 3, notKept: { count: 0, files: [] } }
    const sessionId = session!.id
    const record = {
      type: 'checkpoint.record' as const,
      id,
      sessionId,
      label: null,
      reason: 'person' as const,
      ...kept,
    }
    expect((await world.app.dispatch(record, ann)).ok).toBe(true)
    const inboxId = newId<InboxId>()
    const restore = () => on.command(`restore ${id} --yes`, { inboxId, thread: '1.0' })
    const first = JSON.stringify(await restore())
    expect(first).toContain('restored from checkpoint')
    expect(JSON.stringify(await restore())).toContain('not restored again')
    expect(on.ran).toEqual(['restore'])
    // Said again on purpose, it is another one.
    await on.command(`restore ${id} --yes`, { thread: '1.0' })
    expect(on.ran).toEqual(['restore', 'restore'])
  })
})
