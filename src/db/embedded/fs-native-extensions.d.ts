// The package has no type declarations.
declare module 'fs-native-extensions' {
  /** Takes the operating system's exclusive lock on `length` bytes of an open file; false if another process holds it. */
  export function tryLock(fd: number, offset?: number, length?: number): boolean
}
