export type ServerSentEvent = { id: string | null; type: string; data: string }

/** Reads `text/event-stream` chunk by chunk: whatever stands between chunks, lines end with LF, CRLF or CR. */
export function createSseParser(onEvent: (event: ServerSentEvent) => void): { push(chunk: string): void } {
  let rest = ''
  let first = true
  let data: string[] = []
  let type = ''
  let id: string | null = null

  const dispatch = () => {
    if (data.length > 0) onEvent({ id, type: type || 'message', data: data.join('\n') })
    data = []
    type = ''
  }
  const take = (line: string) => {
    if (line === '') return dispatch()
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') type = value
    else if (field === 'id' && !value.includes('\0')) id = value
  }

  return {
    push(chunk) {
      rest += first ? chunk.replace(/^\ufeff/, '') : chunk
      first &&= rest === ''
      // A CR at the very end may be half of a CRLF: it waits for what follows.
      for (;;) {
        const match = /\r\n|\n|\r(?!$)/.exec(rest)
        if (!match) break
        take(rest.slice(0, match.index))
        rest = rest.slice(match.index + match[0].length)
      }
    },
  }
}
