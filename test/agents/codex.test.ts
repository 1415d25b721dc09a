import { tryAgent } from './cases.ts'

tryAgent('codex')
