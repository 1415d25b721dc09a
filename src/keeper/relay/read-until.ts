import type { Socket } from 'node:net'

/** The text before a mark; null if the mark is late or the text too long. What follows the mark stays unread. */
export function readUntil(
  socket: Socket,
  mark: string,
  { most, ms }: { most: number; ms: number },
): Promise<string | null> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0)
    const settle = (text: string | null) => {
      clearTimeout(late)
      socket.off('data', take).off('end', ended).off('close', ended).pause()
      resolve(text)
    }
    const ended = () => settle(null)
    const late = setTimeout(ended, ms)
    const take = (bytes: Buffer) => {
      read = Buffer.concat([read, bytes])
      const at = read.subarray(0, most).indexOf(mark)
      if (at === -1) {
        if (read.length >= most) settle(null)
        return
      }
      settle(read.toString('utf8', 0, at))
      const rest = read.subarray(at + mark.length)
      if (rest.length > 0) socket.unshift(rest)
    }
    socket.on('data', take).on('end', ended).on('close', ended)
  })
}
