/**
 * Runs a Dockerfile's own commands without Docker: each stage in a directory that holds nothing but what its COPY lines name. It knows
 * the instructions that ours uses, and no base images: commands find this machine's programs.
 */
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

export interface Stage {
  /** The directory that stands for the file system. */
  root: string
  workdir: string
  env: Record<string, string>
  /** All other instructions, such as USER and CMD, by name. */
  settings: Record<string, string>
}

interface Instruction {
  name: string
  text: string
}

export interface BuildOptions {
  /** Of the project. */
  context: string
  /** Where the stages are made. */
  directory: string
  /** Who gets what the image's user gets. */
  owner: { uid?: number; gid?: number }
}

export function parseDockerfile(text: string): Instruction[] {
  const lines = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\s*\\\n\s*/g, ' ')
  return [...lines.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = '', text = '']) => ({ name, text }))
}

/** @returns the last stage */
export async function buildImage(dockerfile: string, options: BuildOptions): Promise<Stage> {
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const { name, text } of parseDockerfile(dockerfile)) {
    if (name === 'FROM') {
      const alias = / AS (\S+)$/.exec(text)?.[1] ?? 'final'
      stage = { root: join(options.directory, alias), workdir: '/', env: {}, settings: {} }
      mkdirSync(stage.root, { recursive: true })
      stages.set(alias, stage)
    } else if (stage) await execute(stage, { name, text }, stages, options)
  }
  if (!stage) throw new Error('the Dockerfile has no stage')
  return stage
}

async function execute(
  stage: Stage,
  { name, text }: Instruction,
  stages: Map<string, Stage>,
  options: BuildOptions,
): Promise<void> {
  if (name === 'WORKDIR') {
    stage.workdir = text
    mkdirSync(join(stage.root, text), { recursive: true })
  } else if (name === 'COPY') copy(stage, text, stages, options)
  else if (name === 'RUN') await run(stage, text, options)
  else if (name === 'ENV') {
    for (const [, variable = '', value = ''] of text.matchAll(/(\S+?)=(\S+)/g))
      stage.env[variable] = locate(stage, value)
  } else stage.settings[name] = text
}

/** Absolute paths of the image as paths of this machine. */
function locate(stage: Stage, value: string): string {
  const { PATH = '' } = process.env
  return value.replace(/^(?=\/)/, stage.root).replace('$PATH', PATH)
}

function copy(
  stage: Stage,
  text: string,
  stages: Map<string, Stage>,
  { context, owner }: BuildOptions,
): void {
  const words = text.split(' ')
  const flags = new Map(
    words.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=') as [string, string]),
  )
  const paths = words.filter((word) => !word.startsWith('--'))
  const to = paths.pop() ?? ''
  const from = flags.get('from')
  const base = from === undefined ? context : (stages.get(from)?.root ?? '')
  const target = to.startsWith('/') ? join(stage.root, to) : join(stage.root, stage.workdir, to)
  for (const path of paths) {
    const source = join(base, path)
    if (!existsSync(source)) throw new Error(`COPY ${text}: ${path} does not exist`)
    const destination = to.endsWith('/') && statSync(source).isFile() ? join(target, basename(path)) : target
    const isNew = !existsSync(destination)
    cpSync(source, destination, { recursive: true, verbatimSymlinks: true })
    // A directory that COPY makes does not have the mode of its source.
    if (isNew && statSync(destination).isDirectory()) chmodSync(destination, 0o755)
    const mode = flags.get('chmod')
    if (mode !== undefined) chmodSync(destination, Number.parseInt(mode, 8))
    if (flags.has('chown')) chownSync(destination, owner.uid ?? -1, owner.gid ?? -1)
  }
}

async function run(
  { root, workdir, env }: Stage,
  command: string,
  { owner: { uid, gid } }: BuildOptions,
): Promise<void> {
  const owner = uid === undefined || gid === undefined ? '' : `--owner=${uid} --group=${gid}`
  const local = command.replaceAll(/(?<=\s)(?=\/)/g, root).replace(/--owner=\d+ --group=\d+/, owner)
  // npm needs this machine's proxies and certificates.
  await promisify(execFile)('sh', ['-c', local], {
    cwd: join(root, workdir),
    env: { ...process.env, ...env },
  })
}
