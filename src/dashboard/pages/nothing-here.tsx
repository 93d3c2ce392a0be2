import { Page } from '../parts/page.tsx';

export function NothingHere() {
  return (
    <Page title="Nothing is here" about="This address leads to no page of the dashboard.">
      <a class="button" href="/app">
        Show all links
      </a>
    </Page>
  );
}
