const header = 'x-signalbox-call'

/** What a sender calls its call, so that one that comes again is known again. */
export function callKeyOf(request: Request | undefined): string | null {
  const key = request?.headers.get(header) ?? null
  return key !== null && /^[\x21-\x7e]{1,200}$/.test(key) ? key : null
}

/** What was asked, as it is kept: with the sender's name for it in a line before, which no JSON begins with. */
export function noteOf(text: string, request: Request): string {
  const callKey = callKeyOf(request)
  return callKey === null ? text : `#${callKey}\n${text}`
}

export function readNote(note: string): { text: string; callKey: string | null } {
  const end = note.indexOf('\n')
  return note.startsWith('#')
    ? { text: note.slice(end + 1), callKey: note.slice(1, end) }
    : { text: note, callKey: null }
}

/** Stands for the request that brought it the first time. */
export const askedAgain = (callKey: string | null): Request | undefined =>
  callKey === null ? undefined : new Request('http://localhost/mcp', { headers: { [header]: callKey } })
