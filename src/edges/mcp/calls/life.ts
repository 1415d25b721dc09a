import type { App } from '../../../app/app.ts'
import type { Link } from '../link.ts'
import type { Tool } from '../tools/tool.ts'

/** That a call is a sign of life (R5), written once: by the tool with what it does, or else by itself. */
export type Life = {
  /** The tool has shown it with a command of its own. */
  shown(): void
  show(): Promise<void>
}

export function createLife(app: App, link: Link, tool: Pick<Tool, 'name'>): Life {
  let isShown = false
  return {
    shown() {
      isShown = true
    },
    async show() {
      if (isShown) return
      isShown = true
      const beat = tool.name === 'heartbeat'
      const touch = { type: 'session.touch' as const, id: link.sessionId, tool: tool.name, ...(beat && { beat }) }
      await app.dispatch(touch, link.actor)
    },
  }
}
