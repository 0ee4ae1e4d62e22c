/** A Slurm of one node that nobody else can reach: three daemons on the loopback, their state and their secret in one folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'

export interface Slurm {
  /** For `sbatch` and `scontrol`. */
  readonly environment: Readonly<Record<string, string>>
  /** The file with a line for each job that ended. */
  readonly endedJobs: string
  stop(): Promise<void>
}

/** More than this machine may have: parts of a test are small. */
const CORES = 4
const MEMORY_MB = 8000

export function slurmIsHere(): boolean {
  try {
    for (const daemon of ['slurmctld', 'slurmd']) execFileSync(daemon, ['-V'])
    execFileSync('munged', ['--version'])
    return true
  } catch {
    return false
  }
}

/** As Slurm knows this machine. */
export function nodeName(): string {
  const [name] = hostname().split('.')
  return name
}

/** @param folder an empty one; others may then enter it and read nothing, which munge demands */
export async function startSlurm(folder: string): Promise<Slurm> {
  const file = (name: string) => join(folder, name)
  const config = file('slurm.conf')
  const socket = file('munge.socket')
  chmodSync(folder, 0o711)
  for (const name of ['state', 'spool']) mkdirSync(file(name), { mode: 0o700 })
  writeFileSync(file('munge.key'), randomBytes(1024), { mode: 0o400 })
  writeFileSync(config, configText({ folder, socket, ports: [await freePort(), await freePort()] }))
  const own = ['key', 'pid', 'log', 'seed'].map((what) => `--${what}-file=${file(`munge.${what}`)}`)
  execFileSync('munged', [`--socket=${socket}`, ...own]) // returns when it listens
  const daemons = ['slurmctld', 'slurmd'].map((program) => {
    const log = openSync(file(`${program}.out`), 'a')
    return spawn(program, ['-D', '-f', config], { cwd: folder, stdio: ['ignore', log, log] })
  })
  return {
    environment: { SLURM_CONF: config },
    endedJobs: file('ended.txt'),
    stop: async () => {
      for (const each of daemons.toReversed()) await end(each)
      execFileSync('munged', ['--stop', `--socket=${socket}`], { stdio: 'ignore' })
    },
  }
}

interface ConfigOf {
  readonly folder: string
  readonly socket: string
  /** Of the controller and of the node. */
  readonly ports: readonly [number, number]
}

/** Without the two parameters of communication the daemons listen on every address of the machine. */
function configText({ folder, socket, ports: [controller, node] }: ConfigOf): string {
  const host = nodeName()
  const { username } = userInfo()
  return `ClusterName=one
SlurmctldHost=${host}(127.0.0.1)
SlurmUser=${username}
SlurmdUser=${username}
SlurmctldPort=${controller}
SlurmdPort=${node}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket=${socket},cred_expire=5
CredType=cred/munge
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=${folder}/ended.txt
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
MailProg=/bin/true
NodeName=${host} NodeAddr=127.0.0.1 CPUs=${CORES} RealMemory=${MEMORY_MB} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(address)))
    })
  })
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
