import { counted } from '../display-text.ts'
import { isOpen, type Message, type MessageContent, type MessageRole } from '../../domain/message/schema.ts'
import { cleanText, createCleaner } from '../clean-text.ts'
import { editLines } from '../diff-text.ts'
import type { Output } from '../output.ts'
import { planChanges } from '../message-text.ts'
import type { ToolContent } from '../../domain/message/schema.ts'
import { editsIn, textsIn, toolIsOver, toolLine } from '../tool-text.ts'
import { createWrap } from '../wrap-lines.ts'
import type { LiveScreen } from './screen.ts'
import type { LiveView } from './view.ts'

type SaidText = { kind: 'said'; length: number; whole: boolean; cleaner: ReturnType<typeof createCleaner> }
type SeenMessage =
  | SaidText
  | { kind: 'tool'; begun: boolean; over: boolean }
  | { kind: 'plan'; steps: readonly unknown[] }

const mostResultLines = 8

/** The conversation as text. */
export function createTextView(
  screen: LiveScreen,
  { width, paint }: Pick<Output, 'width' | 'paint'>,
  { resultLines = mostResultLines }: { readonly resultLines?: number } = {},
): LiveView {
  const seen = new Map<string, SeenMessage>()
  const shownDiffs = new Set<string>()
  /** The message whose text is on the last line. */
  let open: { id: string; end(): void; push(text: string): void } | null = null

  /** A plan that changed in the middle of a text; shown after it. */
  let heldPlan: { id: string; steps: readonly unknown[] } | null = null

  function close(): void {
    open?.end()
    open = null
    const held = heldPlan
    heldPlan = null
    if (held) showPlan(held.id, held.steps)
  }

  function speak(id: string, role: MessageRole, type: 'text' | 'thought') {
    if (open?.id === id) return open
    close()
    const style = styleOf(role, type)
    const wrap = createWrap(width - style.prefix.length, style.first.length - style.prefix.length)
    let prefix = style.first
    // Line breaks are held until a word follows, so that a text ends with its last word.
    let breaks = 0
    let atLineStart = true
    const put = (text: string) => {
      let lines = ''
      for (const part of text.split(/(\n)/)) {
        if (part === '\n') breaks += 1
        else if (part !== '') {
          lines += '\n'.repeat(breaks)
          if (breaks > 0 || atLineStart) lines += prefix
          prefix = style.prefix
          breaks = 0
          atLineStart = false
          lines += part
        }
      }
      if (lines !== '') screen.add(style.paint(lines))
    }
    screen.begin('said')
    open = { id, push: (text) => put(wrap.push(text)), end: () => put(wrap.end()) }
    return open
  }

  function styleOf(role: MessageRole, type: 'text' | 'thought') {
    if (type === 'thought') return { first: '(thinks) ', prefix: '', paint: (text: string) => paint('dim', text) }
    if (role === 'user') return { first: '> ', prefix: '> ', paint: (text: string) => paint('bold', text) }
    if (role === 'system') return { first: '! ', prefix: '  ', paint: (text: string) => paint('yellow', text) }
    return { first: '', prefix: '', paint: (text: string) => text }
  }

  function saidOf(id: string): SaidText {
    const known = seen.get(id)
    if (known?.kind === 'said') return known
    const said: SaidText = { kind: 'said', length: 0, whole: false, cleaner: createCleaner() }
    seen.set(id, said)
    return said
  }

  function say(id: string, role: MessageRole, type: 'text' | 'thought', more: string, whole: boolean): void {
    const said = saidOf(id)
    const isBegun = said.length > 0
    said.length += more.length
    const clean = said.cleaner.push(more) + (whole ? said.cleaner.end() : '')
    // Blank text before the first word does not start a block.
    const text = open?.id === id ? clean : clean.replace(isBegun ? /^\s+/ : /^\s*\n/, '')
    if (text !== '') speak(id, role, type).push(text)
    said.whole ||= whole
    if (whole && open?.id === id) close()
  }

  function showTool(id: string, tool: ToolContent): void {
    const known = seen.get(id)
    const before = known?.kind === 'tool' ? known : { kind: 'tool' as const, begun: false, over: false }
    const over = toolIsOver(tool.status)
    if (before.over || (before.begun && !over)) return
    seen.set(id, { kind: 'tool', begun: true, over })
    close()
    screen.begin('tool')
    screen.lines([toolLine(tool, paint)])
    if (over) showResult(tool)
  }

  function showResult(tool: ToolContent): void {
    const edits = tool.toolCallId !== undefined && shownDiffs.has(tool.toolCallId) ? [] : editsIn(tool)
    if (tool.status === 'completed')
      for (const edit of edits) screen.lines(editLines(edit, paint).map((line) => `  ${line}`))
    if (tool.kind !== 'execute' && tool.status !== 'failed') return
    const lines = textsIn(tool).flatMap((text) => text.split('\n'))
    const more = lines.length - resultLines
    const shown = more > 0 ? [...lines.slice(0, resultLines), `… ${counted(more, 'more line')}`] : lines
    screen.lines(shown.map((line) => `  ${paint('dim', line)}`))
  }

  function showPlan(id: string, steps: readonly unknown[]): void {
    if (open) {
      heldPlan = { id, steps }
      return
    }
    const known = seen.get(id)
    const lines = planChanges(known?.kind === 'plan' ? known.steps : null, steps)
    seen.set(id, { kind: 'plan', steps })
    if (lines.length === 0) return
    screen.begin('plan')
    screen.lines(lines)
  }

  function show(id: string, role: MessageRole, content: MessageContent): void {
    switch (content.type) {
      case 'text':
      case 'thought': {
        const said = saidOf(id)
        if (!said.whole) say(id, role, content.type, content.text.slice(said.length), !isOpen(content))
        return
      }
      case 'tool':
        return showTool(id, content)
      case 'plan':
        return showPlan(id, content.steps)
      default:
        return content satisfies never
    }
  }

  return {
    message: ({ id, role, content }) => show(id, role, content),
    skip: (message) => void seen.set(message.id, skipped(message)),
    chunk({ messageId, role, type, at, text }) {
      const { length, whole } = saidOf(messageId)
      if (at > length) return false
      const more = text.slice(length - at)
      if (more !== '' && !whole) say(messageId, role, type, more, false)
      return true
    },
    updated: ({ messageId, role, content }) => show(messageId, role, content),
    event() {},
    isWhole(id) {
      const known = seen.get(id)
      if (known?.kind === 'said') return known.whole
      return known?.kind === 'tool' ? known.over : known !== undefined
    },
    diffShown: (toolCallId) => void shownDiffs.add(toolCallId),
    settle: close,
    async flush() {
      await screen.flush()
    },
  }
}

function skipped({ content }: Message): SeenMessage {
  switch (content.type) {
    case 'text':
    case 'thought': {
      const cleaner = createCleaner()
      cleaner.push(cleanText(content.text))
      return { kind: 'said', length: content.text.length, whole: !isOpen(content), cleaner }
    }
    case 'tool':
      return { kind: 'tool', begun: true, over: toolIsOver(content.status) }
    case 'plan':
      return { kind: 'plan', steps: content.steps }
    default:
      return content satisfies never
  }
}
