import { canonicalJson } from '../../lib/json.ts'
import { serverNamed, type ContainerConfig, type ContainerConfigFields } from './container-config.ts'

type Servers = ContainerConfigFields['mcpServers']

/**
 * MCP servers that someone with the machine right set: their programs may run as the server's user, and their addresses may be
 * on this machine. An unchanged server keeps its state: changing another one does not mean that it was checked.
 */
export function vouchedServers(
  wanted: Servers,
  before: Pick<ContainerConfig, 'mcpServers' | 'vouchedServers'> | undefined,
  hasMachine: boolean,
): string[] {
  return Object.entries(wanted).flatMap(([name, server]) => {
    const known = before ? serverNamed(before.mcpServers, name) : null
    const isSame = known !== null && canonicalJson(known) === canonicalJson(server)
    const isVouched = isSame ? before?.vouchedServers.includes(name) : hasMachine
    return isVouched ? [name] : []
  })
}
