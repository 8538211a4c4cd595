/**
 * Writes the patches of docs/recipes anew, for the sources as they are: `npm run recipes`. Each is merged in a work tree of its own. One
 * that conflicts leaves it, with git's conflict markers: edit its files, then `npm run recipes -- save <recipe>`. To change what a
 * recipe does, `npm run recipes -- edit <recipe>` makes that work tree.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The recipes, in order, each with the one that it is applied on top of. */
const recipes = { field: null, filter: 'field', resource: null } as const
type Recipe = keyof typeof recipes

/** What commands write, in a work tree in which a recipe has been tried. */
const GENERATED = ['drizzle', '*/generated/*', 'schema/schema.graphql', '**/*.snap', 'test/**/*.sql']

const patchOf = (recipe: Recipe) => join(root, 'docs', 'recipes', `${recipe}.patch`)
const workTreeOf = (recipe: Recipe) => join(tmpdir(), `pet-store-recipe-${recipe}`)

function git(cwd: string, args: string[], env: NodeJS.ProcessEnv = process.env): string {
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' })
}

/** Commits all files of a work tree, on no branch. @returns its hash */
function commit(directory: string): string {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'pet-store-index-'))
  const env = { ...process.env, GIT_INDEX_FILE: join(temporary.path, 'index') }
  git(directory, ['read-tree', 'HEAD'], env)
  git(directory, ['add', '--all', '.', ...GENERATED.map((path) => `:(exclude)${path}`)], env)
  const tree = git(directory, ['write-tree'], env).trim()
  return git(directory, ['commit-tree', tree, '-p', 'HEAD', '-m', 'The sources of the recipes'], env).trim()
}

/** Makes a work tree in which a recipe is merged into the sources. @returns whether it has no conflicts */
function edit(recipe: Recipe): boolean {
  const before = recipes[recipe]
  if (before && !edit(before)) return false
  const directory = workTreeOf(recipe)
  remove(recipe)
  git(root, ['worktree', 'add', '--quiet', '--detach', directory, commit(before ? workTreeOf(before) : root)])
  if (before) remove(before)
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  try {
    git(directory, ['apply', '--3way', patchOf(recipe)])
  } catch (error) {
    console.error(`${recipe}.patch has conflicts, in ${directory}:\n${(error as { stderr: string }).stderr}`)
    return false
  }
  return true
}

/** Writes the patch of what has been changed in the work tree of a recipe, and removes that. */
function save(recipe: Recipe): void {
  const directory = workTreeOf(recipe)
  writeFileSync(patchOf(recipe), git(directory, ['diff', 'HEAD', commit(directory)]))
  remove(recipe)
}

function remove(recipe: Recipe): void {
  if (existsSync(workTreeOf(recipe))) git(root, ['worktree', 'remove', '--force', workTreeOf(recipe)])
}

const isRecipe = (name: string): name is Recipe => Object.hasOwn(recipes, name)

const [command = 'all', name = ''] = process.argv.slice(2)
if (command === 'all') {
  for (const recipe of Object.keys(recipes).filter(isRecipe)) {
    if (edit(recipe)) save(recipe)
    else {
      process.exitCode = 1
      break
    }
  }
} else if (command === 'edit' && isRecipe(name)) {
  edit(name)
  console.log(workTreeOf(name))
} else if (command === 'save' && isRecipe(name)) {
  save(name)
} else {
  console.error(`npm run recipes [-- edit|save ${Object.keys(recipes).join('|')}]`)
  process.exitCode = 1
}
