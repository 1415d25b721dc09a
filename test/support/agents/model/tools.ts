import type { Schema, Tool } from './talk.ts'

export type File = { path: string; content?: string; old?: string; new?: string }
/** What a script may ask for, whatever tool the agent has for it. */
export type Wish =
  | { op: 'write' | 'edit' | 'read'; file: File }
  | { op: 'shell'; command: string }
  | { op: 'todo'; texts: string[] }
  | { op: 'call'; name: string; args: unknown }

// Each agent has its own name for the same thing.
const names: Record<Exclude<Wish['op'], 'call'>, RegExp> = {
  write: /^(write_file|write)$/i,
  edit: /^(replace|edit)$/i,
  read: /^(read_file|read)$/i,
  shell: /^(run_shell_command|bash|shell|shell_command|exec_command|run_commands)$/i,
  todo: /^(write_todos|todowrite|update_plan)$/i,
}

export function toolFor(wish: Wish, tools: readonly Tool[]): Tool | undefined {
  if (wish.op === 'call') return tools.find(({ name }) => name === wish.name)
  const own = tools.find(({ name }) => names[wish.op].test(name))
  if (own) return own
  if (wish.op === 'write' || wish.op === 'edit') return tools.find(({ name }) => name === 'apply_patch')
  return wish.op === 'read' ? tools.find(({ name }) => names.shell.test(name)) : undefined
}

/** A tool's arguments, filled in from its schema by the names of its properties. */
export function argumentsFor(wish: Wish, tool: Tool): unknown {
  if (wish.op === 'call') return wish.args
  if (tool.name === 'apply_patch' && 'file' in wish) {
    return tool.custom ? patch(wish.file) : { input: patch(wish.file) }
  }
  const { properties = {}, required = [] } = tool.schema
  const filled = Object.entries(properties).flatMap(([name, schema]) => {
    const value = valueFor(name.toLowerCase(), schema, wish)
    if (value !== undefined) return [[name, value]]
    return required.includes(name) ? [[name, placeholder(schema)]] : []
  })
  return Object.fromEntries(filled)
}

function valueFor(name: string, schema: Schema, wish: Wish): unknown {
  if (wish.op === 'todo') return /^(todos|plan)$/.test(name) ? wish.texts.map((text) => todo(text, schema)) : undefined
  const command = wish.op === 'shell' ? wish.command : wish.op === 'read' ? `cat '${wish.file.path}'` : undefined
  if (name === 'commands' && command) return [command]
  if (/^(command|cmd)$/.test(name) && command) return schema.type === 'array' ? ['bash', '-lc', command] : command
  if (wish.op === 'shell') {
    // Codex asks a person only if the model says that a command must leave its sandbox.
    if (name === 'sandbox_permissions') return 'require_escalated'
    return name === 'justification' ? 'The scripted model wants to run this.' : undefined
  }
  if (!('file' in wish)) return undefined
  const { file } = wish
  if (/^(file_?path|path|absolute_path)$/.test(name)) return file.path
  if (name === 'content') return file.content
  if (/^old_?(string|str|text)$/.test(name)) return file.old
  return /^new_?(string|str|text)$/.test(name) ? file.new : undefined
}

function todo(text: string, { items = {} }: Schema): Record<string, string> {
  const entries = Object.entries(items.properties ?? { content: {}, status: {} })
  return Object.fromEntries(
    entries.map(([name, { enum: allowed = [] }]) => {
      if (name === 'status') return [name, 'pending']
      return [name, allowed[0] ?? text]
    }),
  )
}

function placeholder(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0]
  const byType: Record<string, unknown> = { boolean: false, number: 1, integer: 1, array: [], object: {} }
  return byType[schema.type ?? ''] ?? 'scripted'
}

function patch({ path, content, old = '', new: changed = '' }: File): string {
  const lines = (sign: string, text: string) => text.replace(/\n$/, '').replaceAll(/^/gm, sign)
  const body =
    content === undefined
      ? `*** Update File: ${path}\n@@\n${lines('-', old)}\n${lines('+', changed)}`
      : `*** Add File: ${path}\n${lines('+', content)}`
  return `*** Begin Patch\n${body}\n*** End Patch\n`
}
