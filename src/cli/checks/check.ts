import type { Check } from '../../client/contract/system.ts'

export const good = (name: string, detail: string): Check => ({ name, status: 'ok', detail, hint: null })
export const warn = (name: string, detail: string, hint: string): Check => ({ name, status: 'warn', detail, hint })
export const bad = (name: string, detail: string, hint: string): Check => ({ name, status: 'fail', detail, hint })

export const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
