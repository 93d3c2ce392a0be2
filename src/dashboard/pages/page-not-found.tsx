import { Page } from '../parts/page.tsx';

export function PageNotFound() {
  return (
    <Page title="Nothing here" about="There is no page of the dashboard at this address.">
      <a class="button" href="/app">
        Show all links
      </a>
    </Page>
  );
}
