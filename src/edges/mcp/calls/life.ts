import type { App } from '../../../app/app.ts'
import type { Link } from '../link.ts'
import type { Tool } from '../tools/tool.ts'

/** That a call is a sign of life (R5), written once: by the tool with what it does, or else by itself. */
export type SignOfLife = {
  /** The tool has shown it with a command of its own. */
  recorded(): void
  record(): Promise<void>
}

export function createSignOfLife(app: App, link: Link, tool: Pick<Tool, 'name'>): SignOfLife {
  let isShown = false
  return {
    recorded() {
      isShown = true
    },
    async record() {
      if (isShown) return
      isShown = true
      const beat = tool.name === 'heartbeat'
      const touch = { type: 'session.touch' as const, id: link.sessionId, tool: tool.name, ...(beat && { beat }) }
      await app.dispatch(touch, link.actor)
    },
  }
}
