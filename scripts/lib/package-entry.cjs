#!/usr/bin/env node
// The program of a package. Written so that every Node of the last years reads it: one that is too old is told so, instead of a SyntaxError.
'use strict'

const found = process.versions.node.split('.').map(Number)
const major = found[0] || 0
const minor = found[1] || 0

if (major > 22 || (major === 22 && minor >= 12)) {
  // @ts-ignore: in a package, this file is beside dist/.
  void import('./dist/signalbox.js')
} else {
  console.error('signalbox: needs Node 22.12 or newer; this is Node ' + process.versions.node + '.')
  console.error('  Install Node 24 (nodejs.org, or: nvm install 24), then run the same command again.')
  process.exitCode = 1
}
