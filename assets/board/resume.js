// A reload in the middle of a tournament comes back to it: what goes on in this tab, kept by its browser until it ends.

const NAME = "qb-tournament";
const DAY = 24 * 3600 * 1000;

/** Keep what the element says is going, forget it once nothing is; a tab that was at it chooses the same again. */
export async function mountResume(element, watch, choose) {
  let kept = Promise.resolve(); // one after the other: keeping fetches the photos first, and may not end after forgetting
  watch("value", () => {
    const going = element.querySelector("[data-going]")?.dataset.going;
    kept = kept.then(() => (going ? remember(JSON.parse(going)) : forget())).catch(console.warn);
  });
  const was = await left().catch(() => null);
  if (!was) return;
  window.qbChooseLeft = () => {
    window.qbStartAgain = true;
    chooseFiles(document.querySelector("#tournament-files input[type=file]"), was.files);
  };
  choose({ model: was.model, rounds: was.rounds });
}

/** Keep the photos and choices; what tabs left behind more than a day ago goes. */
async function remember({ photos, model, rounds }) {
  const files = await Promise.all(photos.map(async ({ name, url }) => {
    const content = await (await fetch(url)).blob();
    return new File([content], name, { type: content.type });
  }));
  const key = sessionStorage.getItem(NAME) ?? `${Date.now()} ${Math.random()}`;
  await use("readwrite", (kept) => kept.delete(IDBKeyRange.upperBound(String(Date.now() - DAY))));
  await use("readwrite", (kept) => kept.put({ files, model, rounds }, key));
  sessionStorage.setItem(NAME, key); // last, so that what it names is there
}

async function forget() {
  const key = sessionStorage.getItem(NAME);
  if (!key) return;
  sessionStorage.removeItem(NAME);
  await use("readwrite", (kept) => kept.delete(key));
}

/** What this tab was doing, where it shows the page of it again; null where it was doing nothing. */
async function left() {
  const key = sessionStorage.getItem(NAME);
  if (!key || new URLSearchParams(location.search).get("tab") !== "tournament") return null;
  return (await use("readonly", (kept) => kept.get(key))) ?? null;
}

/** Choose files as their owner would. */
function chooseFiles(input, files) {
  const chosen = new DataTransfer();
  for (const file of files) chosen.items.add(file);
  input.files = chosen.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

async function use(mode, act) {
  const database = await settled(indexedDB.open(NAME, 1), (opening) => opening.result.createObjectStore(NAME));
  try {
    return await settled(act(database.transaction(NAME, mode).objectStore(NAME)));
  } finally {
    database.close();
  }
}

const settled = (asked, upgrade = () => {}) => new Promise((resolve, reject) => {
  asked.onupgradeneeded = () => upgrade(asked);
  asked.onsuccess = () => resolve(asked.result);
  asked.onerror = () => reject(asked.error);
});
