import * as z from 'zod'
import type { Json } from '../../../lib/json.ts'
import { ok, type Fault, type Result } from '../../../lib/result.ts'
import type { ToolCall } from '../calls/tool-call.ts'

export type Structured = { readonly [field: string]: Json | undefined }

/** A tool's reply: an object, or a fault that becomes `{status: "error", error_code, error_message}`. */
export type ToolResult = Result<Structured>

type Hints = {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

export type Tool = {
  readonly name: string
  /** Accepted but not listed. */
  readonly aliases: readonly string[]
  readonly title: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>> & { readonly type: 'object' }
  readonly outputSchema: (Readonly<Record<string, unknown>> & { readonly type: 'object' }) | null
  readonly annotations: Hints
  /** Its own command records the sign of life. */
  readonly recordsSignOfLife: boolean
  run(input: unknown, call: ToolCall): Promise<ToolResult>
  /** Whether the input is valid. */
  accepts(input: unknown): boolean
  /** Reply with text only, without structured content. */
  readonly plainText: boolean
}

/** Builds a tool. Input is validated before `run`. */
export function tool<I extends z.ZodObject>(made: {
  name: string
  aliases?: readonly string[]
  title: string
  description: string
  input: I
  output?: z.ZodObject
  annotations: Hints
  recordsSignOfLife?: boolean
  plainText?: boolean
  /** Fields required unless `request_id` is given. */
  needs?: readonly (keyof z.infer<I> & string)[]
  run(input: z.infer<I>, call: ToolCall): Promise<ToolResult>
}): Tool {
  return {
    name: made.name,
    aliases: made.aliases ?? [],
    title: made.title,
    description: made.description,
    inputSchema: schemaOf(made.input, 'input'),
    outputSchema: made.output ? schemaOf(made.output, 'output') : null,
    annotations: made.annotations,
    recordsSignOfLife: made.recordsSignOfLife ?? false,
    plainText: made.plainText ?? false,
    accepts(input) {
      const read = made.input.safeParse(input ?? {})
      return read.success && missingOf(read.data, made.needs ?? []).length === 0
    },
    run(input, call) {
      const read = made.input.safeParse(input ?? {})
      if (!read.success)
        return Promise.resolve({ ok: false, fault: misread(made.name, read.error, Object.keys(made.input.shape)) })
      const missing = missingOf(read.data, made.needs ?? [])
      if (missing.length > 0) return Promise.resolve({ ok: false, fault: incomplete(made.name, missing) })
      return made.run(read.data, call)
    },
  }
}

function schemaOf(type: z.ZodObject, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io })
  return { ...schema, type: 'object' }
}

function missingOf(input: object, needs: readonly string[]): string[] {
  const given = new Map(Object.entries(input))
  return given.get('request_id') === undefined ? needs.filter((name) => given.get(name) === undefined) : []
}

const incomplete = (name: string, missing: readonly string[]): Fault => ({
  kind: 'invalid',
  code: 'invalid_input',
  message: `${name} needs ${missing.join(', ')}.`,
  hint: 'Or give only request_id, to keep waiting for an earlier request.',
})

const misread = (name: string, error: z.ZodError, inputs: readonly string[]): Fault => ({
  kind: 'invalid',
  code: 'invalid_input',
  message: `Invalid input for ${name}: ${error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ')}.`,
  hint: inputs.length === 0 ? 'It takes no input.' : `It takes ${inputs.join(', ')}.`,
})

export const reply = (what: Structured): ToolResult => ok(what)
