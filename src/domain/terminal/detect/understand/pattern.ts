const longest = 300

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)

/** A valid expression that matches the text, its numbers and blanks left open. */
export const patternOf = (text: string): string => {
  const whole = text.trim()
  const kept = whole.length > longest ? whole.slice(-longest).replace(/^[\udc00-\udfff]/u, '') : whole
  const parts = kept.split(/(\s+|\d+)/u).map((part) => {
    if (/^\s+$/u.test(part)) return String.raw`\s+`
    return /^\d+$/u.test(part) ? String.raw`\d+` : literal(part)
  })
  return `${kept === whole ? String.raw`^\s*` : ''}${parts.join('')}${String.raw`\s*$`}`
}
