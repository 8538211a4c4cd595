/** @returns reads the text of a control by its name, without surrounding spaces */
export function formTexts(form: HTMLFormElement): (name: string) => string {
  const data = new FormData(form)
  return (name) => {
    const value = data.get(name)
    return typeof value === 'string' ? value.trim() : ''
  }
}
