/** A line of the agent. The offset of its first byte identifies it across restarts. */
export type AgentLine = { readonly offset: number; readonly end: number; readonly text: string }

export type Framing = {
  push(bytes: Uint8Array): AgentLine[]
  /** Start of the incomplete line; for a line that is skipped, how far it was read. */
  lineStart(): number
}

const newline = 10
const decoder = new TextDecoder()

/** Splits bytes into lines, and skips lines that are too long. */
export function createFraming(options: {
  start: number
  longest: number
  tooLong(offset: number, bytes: number): void
}): Framing {
  let lineStart = options.start
  let parts: Uint8Array[] = []
  let held = 0
  let skipping = 0

  function finish(last: Uint8Array, end: number): AgentLine | null {
    const offset = lineStart
    lineStart = end
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last])
    parts = []
    const wasSkipping = skipping
    held = 0
    skipping = 0
    if (wasSkipping > 0 || whole.length > options.longest) {
      options.tooLong(offset, wasSkipping + whole.length)
      return null
    }
    const text = decoder.decode(whole).trim()
    return text === '' ? null : { offset, end, text }
  }

  return {
    push(bytes) {
      const lines: AgentLine[] = []
      let from = 0
      for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
        const line = finish(bytes.subarray(from, at), lineStart + skipping + held + (at - from) + 1)
        if (line) lines.push(line)
        from = at + 1
      }
      if (from < bytes.length) {
        const rest = bytes.subarray(from)
        if (skipping > 0) skipping += rest.length
        else {
          parts.push(Uint8Array.from(rest))
          held += rest.length
          if (held > options.longest) {
            skipping = held
            held = 0
            parts = []
          }
        }
      }
      return lines
    },
    lineStart: () => lineStart + skipping,
  }
}
