import { tryAgent } from './cases.ts'

tryAgent('opencode')
