import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { later } from './later.ts'

describe('a schema that is made later', () => {
  it('is made at its first use, and once', () => {
    const make = vi.fn(() => z.object({ name: z.string() }))
    const schema = later(make)
    const list = later(() => z.array(schema))
    expect(make).not.toHaveBeenCalled()
    expect(list.parse([{ name: 'a' }])).toEqual([{ name: 'a' }])
    expect(schema.safeParse({ name: 1 }).success).toBe(false)
    expect(make).toHaveBeenCalledTimes(1)
  })

  it('can be extended, made optional and told apart', () => {
    const kind = later(() => z.object({ kind: z.literal('a') }))
    const other = later(() => kind.omit({ kind: true }).extend({ kind: z.literal('b'), size: z.int() }))
    const either = later(() => z.discriminatedUnion('kind', [kind, other]))
    expect(either.optional().parse(undefined)).toBeUndefined()
    expect(either.parse({ kind: 'b', size: 2 })).toEqual({ kind: 'b', size: 2 })
    expect(either).toBeInstanceOf(z.ZodDiscriminatedUnion)
    expect(either).not.toBeInstanceOf(z.ZodObject)
    expect(later(() => z.string().trim().max(3)).safeParse('  abc ')).toEqual({ success: true, data: 'abc' })
  })

  it('has the same description as one that is made at once', () => {
    const made = (wrap: <S extends z.ZodType>(make: () => S) => S, id: string) => {
      const size = wrap(() =>
        z
          .union([z.int(), z.string().transform(Number)])
          .pipe(z.number())
          .default(1),
      )
      const part = wrap(() => z.object({ size }).meta({ id, description: 'A part.' }))
      return wrap(() => z.object({ part: part.nullable(), parts: z.array(part) }))
    }
    const now = z.toJSONSchema(
      made((make) => make(), 'Now'),
      { io: 'input' },
    )
    const laterOn = z.toJSONSchema(made(later, 'Later'), { io: 'input' })
    expect(JSON.stringify(laterOn).replaceAll('Later', 'Now')).toBe(JSON.stringify(now))
  })
})
