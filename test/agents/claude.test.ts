import { tryAgent } from './cases.ts'

tryAgent('claude')
