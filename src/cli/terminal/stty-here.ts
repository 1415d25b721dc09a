import { spawn } from 'node:child_process'

/** Runs `stty` on our own terminal; gives what it prints, empty if it failed. */
export function sttyHere(word: string): Promise<string> {
  return new Promise((resolve) => {
    const setting = spawn('stty', [word], { stdio: ['inherit', 'pipe', 'ignore'] })
    let text = ''
    setting.stdout.on('data', (piece: Buffer) => (text += piece.toString()))
    setting.on('error', () => resolve(''))
    setting.on('close', (code) => resolve(code === 0 ? text.trim() : ''))
  })
}
