#!/usr/bin/env bash
# drizzle-kit loads the TypeScript of a schema. In a package with "type": "module", one would expect an ES module, with import.meta, as Node
# has it for the same file.
# It is compiled to CommonJS, also on a Node that runs the file itself, and import.meta is an empty object: import.meta.dirname is undefined,
# without a warning. The error comes from whatever gets that, in any module that the schema imports.
# Here: no module that the tables import looks for the root of the project (src/base/program-name.ts); test/project/schemas.test.ts.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
echo '{ "type": "module" }' >package.json
npm install --no-audit --no-fund drizzle-kit@0.31.11 drizzle-orm@0.45.4 node@24.21.0 >npm.log

cat >schema.ts <<'END'
import { pgTable, text } from 'drizzle-orm/pg-core'

console.log('keys of import.meta:', Object.keys(import.meta).join() || 'none')
export const pets = pgTable('pets', { name: text() })
END
export PATH="$PWD/node_modules/.bin:$PATH"
{
  node --version
  node schema.ts
  drizzle-kit --version | grep -o 'drizzle-kit.*'
  drizzle-kit export --dialect postgresql --schema schema.ts
} | tee seen

diff - <(grep . seen) <<'END' || { echo 'This has changed.' >&2; exit 1; }
v24.21.0
keys of import.meta: dirname,filename,main,resolve,url
drizzle-kit: v0.31.11
keys of import.meta: none
CREATE TABLE "pets" (
	"name" text
);
END
