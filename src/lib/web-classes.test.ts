import { expect, test } from 'vitest'
import { shadowWebClasses, standInFor } from './web-classes.ts'

test('a stand-in makes real objects, and so do classes derived from it', () => {
  const Light = standInFor('Headers')
  class Lighter extends Light {}
  const made = [new Light({ a: 'b' }), new Lighter({ a: 'b' })] as Headers[]
  expect(made.map((headers) => headers.get('a'))).toEqual(['b', 'b'])
  expect(made.map((headers) => headers instanceof Headers && headers instanceof Light)).toEqual([true, true])
  expect(made.map((headers) => headers instanceof Lighter)).toEqual([false, true])
})

test('an object of the real class is an instance of the stand-in, and one derived from its prototype of the real class', () => {
  const Light = standInFor('Response')
  const derived: unknown = Object.create(Light.prototype as object)
  expect([derived instanceof Light, derived instanceof Response, {} instanceof Light]).toEqual([true, false, false])
  expect(new Light('text')).toBeInstanceOf(Response)
  expect([derived instanceof Response, new Response() instanceof Light]).toEqual([true, true])
  expect(Reflect.get(Light, 'error')).toBe(Response.error)
})

test('shadowed classes are what their names mean everywhere, and the properties of globalThis stay', () => {
  const real = [globalThis.Request, globalThis.Response]
  // Once: with the classes that are there already, so that other tests keep them.
  shadowWebClasses(Request, Response)
  // Only the first call counts.
  shadowWebClasses(null, null)
  expect([Request, Response, globalThis.Request, globalThis.Response]).toEqual([...real, ...real])
})
