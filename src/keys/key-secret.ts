/** The secrets that the command line creates: their form, and the id of the key in them. */
import { randomBytes, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { digestOf } from './api-key.ts'

const ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/**
 * The form of secrets: `pets_<8 id characters>_<43 random><6 checksum>`. Secret scanners recognize it, and a mistyped secret is
 * rejected without the database.
 */
const FORM = /^(pets_([a-z0-9]{8})_[\w-]{43})([0-9A-Za-z]{6})$/

/** A new secret of 256 random bits, with the id of its key and the digest, which is all that is stored. */
export function createKeySecret(): { id: string; secret: string; digest: string } {
  const id = Array.from({ length: 8 }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join('')
  const start = `pets_${id}_${randomBytes(32).toString('base64url')}`
  const secret = start + checksumOf(start)
  return { id, secret, digest: digestOf(secret) }
}

/** The id of the key whose secret this is; null if it does not have the format, including a correct checksum. */
export function readKeyId(token: string): string | null {
  const [, start, id, checksum] = FORM.exec(token) ?? []
  return start !== undefined && id !== undefined && checksumOf(start) === checksum ? id : null
}

/** Whether a text contains a secret, maybe one that is mistyped. */
export function containsSecret(text: string): boolean {
  return /pets_([a-z0-9]{8})_/.test(text)
}

/** A text without the secrets in it, also mistyped ones: only the ids of their keys are left. */
export function hideSecrets(text: string): string {
  return text.replace(/pets_([a-z0-9]{8})_[\w-]*/g, 'pets_$1_…')
}

/** CRC-32 in base 62, which detects any single changed character. */
function checksumOf(text: string): string {
  let remaining = crc32(text)
  let digits = ''
  for (let index = 0; index < 6; index += 1) {
    digits = BASE62.charAt(remaining % 62) + digits
    remaining = Math.floor(remaining / 62)
  }
  return digits
}
