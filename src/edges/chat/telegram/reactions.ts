/** Telegram takes only some emoji as reactions. These stand for others that agents use. */
const nearest = new Map(
  Object.entries({
    '✅': '👍',
    '☑': '👍',
    '✔': '👍',
    '🟢': '👍',
    '❌': '👎',
    '✖': '👎',
    '🚫': '👎',
    '⛔': '👎',
    '🛑': '👎',
    '🔴': '👎',
    '⏳': '👀',
    '⌛': '👀',
    '🔍': '👀',
    '🔄': '👀',
    '🟡': '👀',
    '🚀': '🔥',
    '⭐': '🏆',
    '✨': '🎉',
    '💪': '👏',
    '🙌': '👏',
    '❓': '🤔',
    '⚠': '🤨',
    '😀': '😁',
    '😄': '😁',
    '😂': '🤣',
    '🐛': '👾',
    '🤖': '👾',
  }),
)

export function reactionOf(emoji: string): string {
  // U+FE0F only asks for the coloured form.
  const plain = emoji.replaceAll('\ufe0f', '')
  return nearest.get(plain) ?? plain
}
