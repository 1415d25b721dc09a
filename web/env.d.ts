declare module 'virtual:signalbox-api' {
  import type { Api } from '../src/client/contract.ts'
  import type { Route } from '../src/client/calls.ts'
  export const routes: Readonly<Record<keyof Api, Route>>
}
declare module '*.css'
