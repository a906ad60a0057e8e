// What the pages fetch as JSON.

export async function fetchJson(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

/** One of the boards' data files, from the app (leaderboard/http/cache.py). */
export const boardData = (name) => fetchJson(`${window.gradio_config?.root ?? ""}/board-data/${name}`);
