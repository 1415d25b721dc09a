import { isOpen, type Message } from '../../domain/message/schema.ts'
import { formatJson, type Output } from '../output.ts'
import type { LiveView } from './view.ts'

/** The conversation as JSON lines: messages, live frames and events. */
export function createJsonView(out: Pick<Output, 'write'>): LiveView {
  const shown = new Map<string, string>()
  const whole = new Set<string>()
  const lengths = new Map<string, number>()
  let waiting = ''

  const print = (value: unknown) => {
    waiting += `${formatJson(value, false)}\n`
  }
  function know(message: Message): void {
    const { id, content } = message
    if (!isOpen(content)) whole.add(id)
    if ('text' in content) lengths.set(id, content.text.length)
    shown.set(id, JSON.stringify(content))
  }

  return {
    message(message) {
      const isNew = shown.get(message.id) !== JSON.stringify(message.content)
      know(message)
      if (isNew) print({ type: 'message', sessionId: message.sessionId, data: message })
    },
    skip: know,
    chunk(chunk) {
      const length = lengths.get(chunk.messageId) ?? 0
      if (chunk.at > length) return false
      lengths.set(chunk.messageId, Math.max(length, chunk.at + chunk.text.length))
      if (chunk.at + chunk.text.length > length) print({ type: 'message.chunk', data: chunk })
      return true
    },
    updated(update) {
      if (!isOpen(update.content)) whole.add(update.messageId)
      print({ type: 'message.updated', data: update })
    },
    event: print,
    isWhole: (id) => whole.has(id),
    diffShown() {},
    settle() {},
    async flush() {
      const text = waiting
      waiting = ''
      if (text !== '') await out.write(text)
    },
  }
}
