// Slurm for the long tests of a screen in parts, where it can be had; elsewhere they say that they skip.
import { spawnSync } from 'node:child_process'

const PACKAGES = ['slurm-wlm', 'munge']

/** Whether it ran and ended well. */
function runs(program, args, stdio = 'inherit') {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync(program, args, { stdio, env }).status === 0
}

const isHere = runs('slurmctld', ['-V'], 'ignore')
const canInstall = !isHere && process.getuid?.() === 0 && runs('apt-get', ['--version'], 'ignore')
const installs =
  canInstall &&
  runs('apt-get', ['update', '-qq']) &&
  runs('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES])
if (!isHere && !installs)
  console.log('no Slurm from Debian here; the test of a screen as its job array will say that it skips')
