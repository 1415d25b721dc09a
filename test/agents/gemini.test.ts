import { tryAgent } from './cases.ts'

tryAgent('gemini')
