// Values computed once for each object. Called where messages, boundaries and schemas are read repeatedly.

/** A function that computes its answer once for each object and keeps it as long as the object lives. */
export function oncePer<Key extends object, Answer>(workOut: (key: Key) => Answer): (key: Key) => Answer {
  const answers = new WeakMap<Key, Answer>();
  return (key) => {
    let answer = answers.get(key);
    if (answer === undefined) answers.set(key, (answer = workOut(key)));
    return answer;
  };
}
