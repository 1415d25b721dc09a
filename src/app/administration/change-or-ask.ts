import { systemStanding, type Standing } from '../../domain/user/actor.ts'
import type { Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import type { Command } from '../command.ts'
import type { Done } from '../dispatch.ts'
import type { Requester } from '../use-cases/requester.ts'
import type { Requests } from './requests.ts'

/** People's commands are carried out; agents' ask their administrators first, and wait until a signal ends it (C10). */
export const changeOrAsk = (
  { app, administration }: { app: Pick<App, 'dispatch'>; administration: Requests },
  command: Command,
  { actor, once }: Requester,
  signals: readonly AbortSignal[],
): Promise<Result<Pick<Done, 'subject'> & Partial<Pick<Done, 'repeated'>>>> =>
  actor.kind === 'agent' ? administration.request(command, actor, signals) : app.dispatch(command, actor, once)

/** Who looks at what was changed: an agent may see what it was granted, because that belongs to its own group. */
export const viewerOfChange = (standing: Standing): Standing =>
  standing.actor.kind === 'agent' ? systemStanding('administration') : standing
