const words: Readonly<Record<string, string>> = {
  ENOENT: 'file or directory not found',
  ENOTDIR: 'it is a file, not a directory',
  EISDIR: 'it is a directory, not a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
}

/** Why a file can't be read, in plain words if possible. */
export function readErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const plain = 'code' in error && typeof error.code === 'string' ? words[error.code] : undefined
  return plain ?? error.message
}
