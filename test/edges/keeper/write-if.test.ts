import { describe, expect, it } from 'vitest'
import { collect, ownKeeper } from '../../support/keeper.ts'
import { attachTo, infoOf, lookAt, reading, screenOn, terminalIn } from '../../support/keeper-terminal.ts'
import { until, within } from '../../support/until.ts'

const asks = 'read -p "first? " a; read -p "second? " b; echo "got $a and $b"'

describe('a conditional write', () => {
  it('reaches a program that is still waiting, once for each key', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['bash', '-c', asks])
    const seen = await collect(keeper, 't')
    const look = await lookAt(keeper, 't')
    const done = { ok: true, value: { written: true, why: null } }
    expect(await keeper.writeIf('t', 'one', 'A\n', look)).toEqual(done)
    await until(() => seen.text().includes('second?'))
    expect(await keeper.writeIf('t', 'one', 'A\n', look)).toEqual(done)
    const next = await lookAt(keeper, 't')
    expect(next.inputs).toBe(2)
    expect(await keeper.writeIf('t', 'two', 'B\n', next)).toEqual(done)
    await within(seen.exit, 'its exit')
    expect(seen.text()).toContain('got A and B')
    expect(await keeper.writeIf('t', 'three', 'C\n', next)).toMatchObject({
      ok: false,
      fault: { code: 'stdin_closed' },
    })
  })

  it('is refused once the program has printed', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['bash', '-c', asks])
    const look = await lookAt(keeper, 't')
    await keeper.write('t', 'somebody', 'X\n')
    await until(async () => (await infoOf(keeper, 't')).to > look.to + 5)
    expect(await keeper.writeIf('t', 'k', 'A\n', look)).toEqual({ ok: true, value: { written: false, why: 'printed' } })
  })

  it('is refused once someone has typed, even if nothing shows', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['bash', '-c', 'read -sp "Password: " x; exit'])
    const look = await lookAt(keeper, 't')
    await using attached = await attachTo(own)
    const screen = await screenOn(attached, 't')
    await screen.write('s')
    expect((await infoOf(keeper, 't')).to).toBe(look.to)
    expect(await keeper.writeIf('t', 'k', 'A\n', look)).toEqual({ ok: true, value: { written: false, why: 'typed' } })
  })

  it('is refused once the program has moved on silently', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const silent = `trap 'x=2' USR1; echo "name? "; read a; read b; sleep 1000`
    const { pid } = await terminalIn(own, keeper, 't', ['bash', '-c', silent])
    const look = await lookAt(keeper, 't')
    process.kill(pid, 'SIGUSR1')
    await until(async () => (await reading(keeper, 't')).mark !== look.waits.mark)
    expect(await keeper.writeIf('t', 'k', 'A\n', look)).toEqual({ ok: true, value: { written: false, why: 'ran' } })
    process.kill(pid, 'SIGKILL')
    await until(async () => (await infoOf(keeper, 't')).exit)
    expect(await keeper.writeIf('t', 'k', 'A\n', look)).toMatchObject({ ok: false, fault: { code: 'stdin_closed' } })
  })

  it('almost never reaches the wrong prompt of a program that changes it at any moment', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    // Asks "a?" or "b?" in turn, each for a varying time, and reports which of them got what.
    const script = `$| = 1; for (1..500) { for my $p ("a", "b") { print "$p? "; my $in = ""; vec($in, 0, 1) = 1;
      if (select($in, undef, undef, rand() * 0.01)) { sysread(STDIN, my $got, 100); chomp $got; print "<$p:$got>\n" } } }
      print "over"; <STDIN>`
    await terminalIn(own, keeper, 't', ['perl', '-e', script])
    const seen = await collect(keeper, 't')
    await until(() => seen.size() > 0)
    let tries = 0
    let written = 0
    while (!seen.text().includes('over')) {
      const probed = await keeper.probe('t')
      const { to, pty } = await infoOf(keeper, 't')
      const prompt = /([ab])\? $/.exec(seen.text())?.[1]
      if (!probed.ok || !probed.value || probed.value.reading === 'no' || seen.size() !== to || !prompt) continue
      tries += 1
      const cond = { to, inputs: pty?.inputs ?? 0, waits: { pid: probed.value.pid, mark: probed.value.mark } }
      const result = await keeper.writeIf('t', `k${tries}`, `${prompt}\n`, cond)
      if (result.ok && result.value.written) written += 1
    }
    const got = [...seen.text().matchAll(/<(.):(.*?)>/g)].map(([, asked, answer]) => `${asked}${answer}`)
    const wrong = got.filter((pair) => pair !== 'aa' && pair !== 'bb')
    // What remains is the moment between the last check and the write; a busy machine may lengthen it.
    expect(wrong.length, `${wrong.length} of ${written}`).toBeLessThanOrEqual(Math.ceil(written / 100))
    expect(written).toBeGreaterThan(0)
    expect(got.length).toBeGreaterThan(0)
  })
})
