import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { read, type AgentSession } from '../conformance/agents-harness.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import { long } from '../support/scale.ts'
import { engines, openContainerHarness, type ContainerHarness } from './container-harness.ts'

describe.each(engines.filter((_, index) => long || index === 0))(
  'mounts in containers of $name',
  ({ name, missing }) => {
    let harness: ContainerHarness
    let folder: string
    /** Read-only for containers, writable for them, and for none. */
    let [reference, shared, own] = ['', '', '']
    beforeAll(async () => {
      if (missing !== null) return
      folder = await realpath(await mkdtemp(join(tmpdir(), 'sbm-')))
      reference = join(folder, 'reference')
      shared = join(folder, 'shared')
      own = join(folder, 'own')
      for (const place of [reference, shared, own, join(reference, '.ssh')]) await mkdir(place)
      for (const place of [reference, shared, own]) await writeFile(join(place, 'a.txt'), `in ${place}`)
      for (const secret of ['.env', '.ssh/id_rsa']) await writeFile(join(reference, secret), 'a secret')
      harness = await openContainerHarness(name, {
        containers: `mounts = [${JSON.stringify(reference)}, { path = ${JSON.stringify(shared)}, write = true }]`,
      })
    })
    afterAll(async () => {
      await harness?.[Symbol.asyncDispose]()
      if (folder) await rm(folder, { recursive: true, force: true })
    })

    let groups = 0
    const groupWith = async (...additionalMounts: object[]) => {
      groups += 1
      const config = { isolation: 'container', additionalMounts }
      const asked = { name: `Group ${groups}`, agent: 'practice', config }
      return harness.api.post<{ id: string }>('/api/agent-groups', asked)
    }
    const begin = (group: { id: string }) =>
      harness.api.send('POST', '/api/sessions', { body: { agentGroupId: group.id } })
    const begun = async (group: { id: string }) => {
      const { status, text, body } = await begin(group)
      if (status !== 201) throw new Error(text)
      return body as AgentSession
    }

    it.skipIf(missing !== null)(
      'C1 C9 show the folder of its group: instructions and the chosen skills to read, and memory that is kept',
      async () => {
        const place = await harness.workspace()
        // As if the repo were another user's, as on most machines.
        if (process.getuid?.() === 0) await chown(place, 1000, 1000)
        const group = await harness.api.post<{ id: string; folder: string }>('/api/agent-groups', {
          name: 'Rememberers',
          agent: 'practice',
          workspaceRoot: place,
          config: { isolation: 'container', skills: ['tides'] },
        })
        const at = `${await realpath(harness.server.home)}.groups/${group.folder}`
        const told = { body: { text: 'Be brief.' } }
        expect((await harness.api.send('PUT', `/api/agent-groups/${group.id}/instructions`, told)).status).toBe(200)
        // As the person who runs the server does.
        for (const skill of ['tides', 'winds']) {
          await mkdir(join(at, 'skills', skill), { recursive: true })
          await writeFile(join(at, 'skills', skill, 'SKILL.md'), `about ${skill}`)
        }
        const first = await begun(group)
        const out = await harness.run(
          first,
          `cat ${at}/AGENTS.md; echo; cat ${at}/skills/tides/SKILL.md; echo; ls ${at}/skills/winds; ` +
            `(echo x > ${at}/AGENTS.md) 2>&1 | grep -o Read-only; (echo x > ${at}/skills/tides/y) 2>&1 | grep -o Read-only; ` +
            `mkdir ${at}/memory/tank && echo full > ${at}/memory/tank/level; ls ${at}/..`,
        )
        expect(out).toBe(`Be brief.\nabout tides\nRead-only\nRead-only\n${group.folder}`)
        await harness.api.delete(`/api/sessions/${first.id}`)
        expect(await harness.run(await begun(group), `cat ${at}/memory/tank/level`)).toBe('full')
      },
    )

    it.skipIf(missing !== null || process.getuid?.() !== 0 || !sandboxWorks())(
      'C1 C9 share the folder of a group with its sandbox, also if root runs the server and others own the workspaces',
      async () => {
        const [ours, anns, bobs] = [await harness.workspace(), await harness.workspace(), await harness.workspace()]
        await chown(anns, 1000, 1000)
        await chown(bobs, 1001, 1001)
        const group = await harness.api.post<{ id: string; folder: string }>('/api/agent-groups', {
          name: 'Sharers',
          agent: 'practice',
        })
        const at = `${await realpath(harness.server.home)}.groups/${group.folder}`
        await harness.api.send('PUT', `/api/agent-groups/${group.id}/instructions`, { body: { text: 'Be brief.' } })
        // As the server makes it; another test may have made it before.
        await chmod(dirname(at), 0o700)
        const starts = (isolation: string, workspaceRoot: string) =>
          harness.start({ agentGroupId: group.id, isolation, workspaceRoot })
        // The first stays while the others start: each start leaves the folder usable for all.
        const ann = await starts('container', anns)
        const note = (who: string) =>
          `cat ${at}/AGENTS.md; mkdir -p ${at}/memory/of-${who} && echo ${who} > ${at}/memory/of-${who}/note; `
        const all = `cat ${at}/memory/*/note | tr '\\n' ' '; mv ${at}/memory/last ${at}/memory/before 2>/dev/null; echo x > ${at}/memory/last; ls ${at}/memory`
        expect(await harness.run(ann, note('ann') + all)).toBe('Be brief.ann last\nof-ann')
        const here = await starts('sandbox', ours)
        expect(await harness.run(here, note('us') + all)).toMatch(/^Be brief\.ann us before\nlast/)
        const bob = await starts('container', bobs)
        expect(await harness.run(bob, note('bob') + all)).toMatch(/^Be brief\.ann bob us before\nlast/)
        expect(await harness.run(ann, all)).toMatch(/^ann bob us before\nlast/)
        expect(await harness.run(here, all)).toMatch(/^ann bob us before\nlast/)
      },
    )

    it.skipIf(missing !== null)(
      'C9 are there with what they hold, read-only unless granted, without secrets and without sockets',
      async () => {
        const talker = createServer().listen(join(reference, 'some.sock'))
        await once(talker, 'listening')
        const session = await begun(
          await groupWith(
            { hostPath: reference },
            { hostPath: shared, readOnly: false },
            { hostPath: shared, containerPath: '/workspace/again' },
          ),
        )
        const out = await harness.run(
          session,
          `cat ${reference}/a.txt; echo; cat ${reference}/.env ${reference}/.ssh/id_rsa 2>&1 | grep -c secret; ` +
            `test -S ${reference}/some.sock && echo socket; (echo x > ${reference}/new) 2>&1 | grep -o Read-only; ` +
            `(echo x > /workspace/again/new) 2>&1 | grep -o Read-only; echo written > ${shared}/new; ls /workspace/again`,
        )
        talker.close()
        expect(out).toBe(`in ${reference}\n0\nRead-only\nRead-only\na.txt\nnew`)
        expect(await read(shared, 'new')).toBe('written\n')
        expect(existsSync(join(reference, 'new'))).toBe(false)
      },
    )

    it.skipIf(missing !== null)('C9 come from the allow-list alone: links are resolved first', async () => {
      await symlink(own, join(shared, 'link'))
      const wanted: [object, RegExp][] = [
        [{ hostPath: own }, /is not in containers\.mounts/],
        [{ hostPath: `${reference}/../own` }, /is not in containers\.mounts/],
        [{ hostPath: join(shared, 'link') }, /is not in containers\.mounts/],
        [{ hostPath: reference, readOnly: false }, /grants it read-only/],
        [{ hostPath: join(reference, '.ssh') }, /may hold secrets/],
        [{ hostPath: shared, containerPath: '/etc' }, /not visible at \/etc/],
        [{ hostPath: join(shared, 'missing') }, /does not exist/],
      ]
      for (const [mount, why] of wanted) {
        const { status, text } = await begin(await groupWith(mount))
        expect([status, text]).toEqual([400, expect.stringMatching(why)])
      }
      // An engine would have made it, as root.
      expect(await readdir(shared)).not.toContain('missing')
    })

    it.skipIf(missing !== null)(
      'S4 a link that the agent leaves in one leads nowhere, and one put in its place later is refused',
      async () => {
        await mkdir(join(shared, 'part'))
        const group = await groupWith({ hostPath: join(shared, 'part'), readOnly: false })
        const first = await begun(group)
        const out = await harness.run(
          first,
          `cd ${shared}/part; ln -s ${own} out; ln -s ../../own up; cat out/a.txt up/a.txt 2>&1 | grep -c 'in /'; true`,
        )
        expect(out).toBe('0')
        await harness.api.delete(`/api/sessions/${first.id}`)
        await rename(join(shared, 'part'), join(shared, 'before'))
        await symlink(own, join(shared, 'part'))
        const { status, text } = await begin(group)
        expect([status, text]).toEqual([400, expect.stringContaining('is not in containers.mounts')])
        expect(await readdir(own)).toEqual(['a.txt'])
      },
    )
  },
)
