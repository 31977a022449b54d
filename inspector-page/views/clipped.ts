// Programs that are not ours may send texts of any length.

const most = 20_000;

/** A text that a view can hold. */
export function clipped(text: string): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more)`;
}
