/** The form that asks for an API key; assets/key-form.js makes it work. */

/** For the bar: opens the form again. */
export const CHANGE_KEY_BUTTON =
  '<button type="button" class="site-button" id="change-key" title="Change the API key" hidden>API key</button>'

const DEMO_KEY_HINT =
  '<p>The demo server keeps its key in <code>.data/demo-key</code>, or in the directory that <code>DATA_DIR</code> names.</p>'

export interface KeyForm {
  /** The text of the button that submits the form. */
  submit: string
  /** Whether the server has a demo key. */
  isDemo: boolean
}

/** @returns HTML */
export function renderKeyForm({ submit, isDemo }: KeyForm): string {
  return `${isDemo ? DEMO_KEY_HINT : ''}
<form class="key-form" id="key-form">
<label for="key">API key</label>
<input class="site-input" id="key" type="password" autocomplete="off" spellcheck="false" required>
<button class="site-button site-primary">${submit}</button>
<button type="button" class="site-button" id="cancel" hidden>Cancel</button>
</form>
<p class="key-problem" id="key-problem" role="alert"></p>`
}
