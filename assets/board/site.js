// The static site: the same boards, fetched as files.

import { mountBoards } from "./board.js";

const root = document.getElementById("board");

async function get(name) {
  const answer = await fetch(new URL(`../data/${name}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.json();
}

try {
  await mountBoards(root, await get("index"), get);
} catch (fault) {
  console.error(fault);
  root.textContent = "The board could not be loaded. Reload the page to try again.";
}
