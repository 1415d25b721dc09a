import * as z from 'zod'

export { canonicalJson } from './canonical-json.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export const Json: z.ZodType<Json> = z.json()
