/** The pets on the home page. */
import type { HomeContent } from '../pages/home.ts'
import { petStatus } from './table.ts'

const statuses = petStatus.enumValues
const choices = ['', ...statuses].map(
  (status) =>
    `<label><input type="radio" name="status" value="${status}"${status ? '' : ' checked'}>${status || 'all'}</label>`,
)
const options = statuses.map((status) => `<option>${status}</option>`)

export const petsOnHomePage: HomeContent = {
  list: `<section class="home-card" id="pets" aria-labelledby="pets-title" hidden>
<div class="home-title"><h2 id="pets-title" tabindex="-1">Pets</h2><p id="pet-event" class="site-muted" role="status"></p><p id="live" role="status">Not live</p></div>
<form id="new-pet" class="home-new" autocomplete="off">
<label>Name <input class="site-input" name="name" required></label>
<label>Category <input class="site-input" name="categoryId" inputmode="numeric" pattern="-?[0-9]{1,19}" title="A whole number" required></label>
<label>Status <select class="site-input" name="status"><option value="">not set</option>${options.join('')}</select></label>
<button class="site-button site-primary">Create</button>
</form>
<p id="pet-problem" class="home-problem" role="alert"></p>
<form id="filter" class="home-filter"><fieldset><legend>Status</legend>${choices.join('')}</fieldset></form>
<table id="pet-table" hidden>
<thead><tr><th scope="col">Id</th><th scope="col">Name</th><th scope="col">Category</th><th scope="col">Status</th><td></td></tr></thead>
<tbody id="pet-rows"></tbody>
</table>
<p id="no-pets" hidden></p>
<button type="button" class="site-button" id="more" hidden>Show more</button>
</section>`,
  rest: [
    { title: 'List three pets', path: '/pets?limit=3{rest-filter}' },
    {
      title: 'Create a pet',
      path: '/pets',
      body: '{"name": "Rocky", "categoryId": 1, "status": "available"}',
    },
  ],
  graphql: [
    { title: 'List three pets', query: '{ pets(first: 3{graphql-filter}) { nodes { id name status } } }' },
    {
      title: 'Sell a pet',
      query: 'mutation { updatePet(id: 1, input: {status: sold}) { name status } }',
    },
    {
      title: 'Follow the events',
      query: 'subscription { petChanged { kind pet { id name status } } }',
      isStream: true,
    },
  ],
}
