// What the server and the command line may use of the keeper. Nothing here runs in the keeper itself.
export { attachTerminal } from './attach.ts'
export { connectKeeper } from './server-client.ts'
export { createKeeperLink, type KeeperLink } from './link.ts'
export { endProbe, probeMark, reapLeftovers } from './marked-processes.ts'
export type { ChildInfo, ChildSpec, Exit, RelaySpec } from '../keeper/protocol/types.ts'
export type { AttachClient, AttachListener, Attachment, Keeper } from './types.ts'
