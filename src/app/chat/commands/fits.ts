import { listGroups } from '../../../domain/agent-group/store.ts'
import type { ChatCommandsDeps } from './call.ts'
import { isCommandName, type CommandName } from './command-table.ts'
import { wordsOf } from './words.ts'

const idLike = /^(?=.*\d)[0-9a-f][0-9a-f-]{3,35}$/i
const codeLike = /^[A-Z0-9]{4}-?[A-Z0-9]{4}$/i

/**
 * "stop" is a command and "stop using tabs" is for the agent. Said to us by a mention, a command needs arguments that
 * can't be anything else; `/signalbox` takes all of them.
 */
export function createFits({ agents, registry, database }: Pick<ChatCommandsDeps, 'agents' | 'registry' | 'database'>) {
  async function isAgent(word: string): Promise<boolean> {
    const wanted = word.toLowerCase()
    const names = [
      ...(await agents.list('none')).map(({ name }) => name),
      ...(await listGroups(database.read)).flatMap(({ name, folder }) => [name, folder]),
    ]
    return names.some((name) => name.toLowerCase() === wanted)
  }

  const fits: Readonly<Record<CommandName, (args: readonly string[]) => boolean | Promise<boolean>>> = {
    help: ([first, ...more]) => first === undefined || (more.length === 0 && isCommandName(first.toLowerCase())),
    agents: isAlone,
    sessions: ([first, ...more]) => first === undefined || (more.length === 0 && first.toLowerCase() === 'all'),
    start: ([first, ...more]) => first === '--repo' || (first !== undefined && more.length > 0 && isAgent(first)),
    stop: aloneOrId,
    restart: aloneOrId,
    continue: aloneOrId,
    pause: aloneOrId,
    resume: aloneOrId,
    steer: (args) => args.length > 0,
    task: (args) => args.length > 0,
    queue: ([first, ...more]) =>
      aloneOrOneId(first === undefined ? [] : [first, ...more]) ||
      (first === 'drop' && more.length === 1 && idLike.test(more[0] ?? '')),
    checkpoint: aloneOrId,
    restore: (args) => aloneOrOneId(args.filter((word) => word !== '--yes')),
    files: aloneOrOneId,
    show: aloneOrOneId,
    run: ([alias, ...more]) =>
      alias === undefined || (registry.list().some((one) => one.alias === alias) && aloneOrOneId(more)),
    link: ([code, ...more]) => code === undefined || (more.length === 0 && codeLike.test(code)),
    who: isAlone,
  }

  return async (text: string): Promise<boolean> => {
    const [name = '', ...args] = wordsOf(text).map((word) => word.text)
    const wanted = name.toLowerCase()
    return isCommandName(wanted) && (await fits[wanted](args))
  }
}

const isAlone = (args: readonly string[]): boolean => args.length === 0
const aloneOrId = ([first]: readonly string[]): boolean => first === undefined || idLike.test(first)
const aloneOrOneId = (args: readonly string[]): boolean => args.length <= 1 && aloneOrId(args)
