import { open } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import * as z from 'zod'
import { canonicalJson } from '../../lib/json.ts'
import type { ToolEvent } from './event.ts'
import { jsonOrNull } from '../../lib/parse-json.ts'

const Block = z.union([
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal('tool_result'), tool_use_id: z.string() }),
])
const Line = z.object({ type: z.enum(['assistant', 'user']), message: z.object({ content: z.array(z.unknown()) }) })

/** Tracks the calls of one tool with one input in Claude Code's transcript. */
export function createCalls({ tool_name, tool_input }: Pick<ToolEvent, 'tool_name' | 'tool_input'>) {
  const input = canonicalJson(tool_input)
  const running = new Set<string>()
  let seen = false
  return {
    read(line: string): void {
      for (const block of blocksIn(line)) {
        if (block.type === 'tool_result') running.delete(block.tool_use_id)
        else if (block.name === tool_name && canonicalJson(block.input) === input) running.add(block.id)
      }
    },
    /** A call was running, and none is now. A call that begins and ends within one read is missed. */
    areOver(): boolean {
      seen ||= running.size > 0
      return seen && running.size === 0
    },
  }
}

function blocksIn(line: string): z.infer<typeof Block>[] {
  if (!line.includes('"tool_use"') && !line.includes('"tool_result"')) return []
  const read = jsonOrNull(line, Line)
  return read?.message.content.flatMap((part) => Block.safeParse(part).data ?? []) ?? []
}

const lookMs = 1000
/** Only the end of a long transcript is read: the call is among the last. */
const lastBytes = 4_000_000

/**
 * Aborts when the tool was used or refused without us. Claude Code asks at its terminal at the same time, and does not
 * end the hook when a person answers there.
 */
export function watchForUse(event: ToolEvent): { readonly signal: AbortSignal } & Disposable {
  const over = new AbortController()
  const isOver = createUseCheck(event)
  let looking = false
  const look = async () => {
    if (looking) return
    looking = true
    if (await isOver()) over.abort()
    looking = false
  }
  const timer = setInterval(() => void look(), lookMs).unref()
  void look()
  return { signal: over.signal, [Symbol.dispose]: () => clearInterval(timer) }
}

/** Checks whether the use is over, reading on from the last check. */
export function createUseCheck(event: ToolEvent): () => Promise<boolean> {
  const { transcript_path: path } = event
  if (path === undefined) return () => Promise.resolve(false)
  const calls = createCalls(event)
  const read = lineReader(path)
  return async () => {
    for (const line of await read()) calls.read(line)
    return calls.areOver()
  }
}

/** Complete lines added since the last call. */
function lineReader(path: string): () => Promise<string[]> {
  let offset: number | null = null
  let rest = ''
  const decoder = new StringDecoder('utf8')
  return async () => {
    const file = await open(path).catch(() => null)
    if (file === null) return []
    try {
      const { size } = await file.stat()
      offset ??= Math.max(0, size - lastBytes)
      const buffer = Buffer.alloc(Math.max(0, size - offset))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset)
      offset += bytesRead
      const lines = (rest + decoder.write(buffer.subarray(0, bytesRead))).split('\n')
      rest = lines.pop() ?? ''
      return lines
    } catch {
      return []
    } finally {
      await file.close()
    }
  }
}
