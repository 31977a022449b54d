// The actor behind each operative and turn, for those who embed them.

const actors = new WeakMap<object, object>();

/** Called once by whoever makes the facade. */
export function noteActor(facade: object, actor: object): void {
  actors.set(facade, actor);
}

/** The actor behind a facade; undefined for anything else. */
export function actorBehind(facade: object): object | undefined {
  return actors.get(facade);
}
