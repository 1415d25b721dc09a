/** One message of an event stream. */
export type Frame = { id: string | null; event: string; data: string }

/** Takes the text of an event stream in whatever pieces it comes, and gives whole messages. */
export function createFrames(): (piece: string) => Frame[] {
  let rest = ''
  return (piece) => {
    rest += piece
    const parts = rest.split('\n\n')
    rest = parts.pop() ?? ''
    return parts.flatMap((part) => frameOf(part) ?? [])
  }
}

function frameOf(text: string): Frame | null {
  const frame: Frame = { id: null, event: 'message', data: '' }
  const data: string[] = []
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name === 'id') frame.id = value
    else if (name === 'event') frame.event = value
    else if (name === 'data') data.push(value)
  }
  frame.data = data.join('\n')
  return frame.id === null && data.length === 0 ? null : frame
}
