/** Whether the user has moved the focus to a control or past the navigation: what loads later must not take it from there. */
export const isFocusInUse = (): boolean =>
  document.activeElement?.matches('.skip, #main, main :is(input, textarea, select, button)') ?? false;
