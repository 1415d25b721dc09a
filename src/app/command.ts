import type { Command } from './slices.ts'

export type { Change, Command } from './slices.ts'

export type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>
