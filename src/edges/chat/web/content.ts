import type { Content, Rendered } from '../adapter.ts'

/** The page draws it: nothing is escaped or cut here. */
export function renderWeb(content: Content): readonly Rendered[] {
  switch (content.kind) {
    case 'text':
      return [{ body: { kind: 'text', text: content.text }, file: null }]
    case 'card': {
      const { title, tone, lines, buttons, footer } = content.card
      const card = {
        title,
        tone,
        footer,
        buttons: buttons.map(({ action, label, style }) => ({ action, label, style })),
        lines: lines.map((line) =>
          line.kind === 'fields'
            ? { kind: line.kind, fields: line.fields.map(([name, value]) => [name, value]) }
            : { kind: line.kind, text: line.text },
        ),
      }
      return [{ body: { kind: 'card', card }, file: null }]
    }
    case 'file':
      return [{ body: { kind: 'file', text: content.text }, file: { name: content.name, bytes: content.bytes } }]
    default:
      return content satisfies never
  }
}
